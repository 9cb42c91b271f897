"""The state of the wikis as JSON."""

from typing import Literal

from pydantic import BaseModel

from retrieval.warnings import Level


class CountsAnswer(BaseModel):
    """Totals of the newest generation; chunks are `embedded`, `pending` or `failed`."""

    pages: int
    chunks: int
    embedded: int
    pending: int
    failed: int
    page_vectors: int
    links: int
    issues: int


class BuildAnswer(BaseModel):
    """What the index was made with; `model` is null for an index without vectors."""

    schema_version: int
    chunker: int
    analyzer: int
    dialect: str
    max_tokens: int
    tokenizer: str
    model: str | None
    dimension: int | None
    config_digest: str


class IssueAnswer(BaseModel):
    """Something that is wrong with one page or entry of the wiki."""

    path: str
    line: int | None
    code: str
    detail: str


class WikiAnswer(BaseModel):
    """One wiki. Without an index `generation`, `level`, `counts` and `build` are null and `code` says why.

    `issues` lists the first ones; `counts.issues` tells how many there are.
    """

    wiki: str
    state: Literal["ready", "unavailable"]
    code: str | None
    generation: int | None
    indexed: str | None
    level: Level | None
    read_only: bool
    counts: CountsAnswer | None
    failed_pages: list[str]
    issues: list[IssueAnswer]
    build: BuildAnswer | None


class StatusAnswer(BaseModel):
    """The wikis of this service."""

    version: str
    wikis: list[WikiAnswer]


class HealthAnswer(BaseModel):
    """That the process runs (`/healthz`), or that every wiki can be searched (`/readyz`)."""

    status: Literal["ok"]
