"""The sections of the settings: what each value may be, checked where it is read."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    IPvAnyNetwork,
    SecretStr,
    model_validator,
)

from retrieval.language import AUTO, LANGUAGES, read_language
from retrieval.llm.port import CHOICE_SECONDS
from retrieval.store import Retention
from service.authority import parse_address, parse_host, parse_origin

INDEX_FOLDER = ".wikitrail"


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
