"""The state of the wikis as JSON."""

from typing import Literal, Self

from pydantic import BaseModel

from retrieval.query_embedder import EmbedderState
from retrieval.store import Generation
from retrieval.warnings import Level


class CountsAnswer(BaseModel):
    """Totals of a generation; chunks are `embedded`, `pending` or `failed`. `languages` counts pages."""

    pages: int
    languages: dict[str, int]
    chunks: int
    embedded: int
    pending: int
    failed: int
    page_vectors: int
    links: int
    issues: int

    @classmethod
    def of(cls, generation: Generation) -> Self:
        """Returns the totals of `generation`."""
        counts = generation.counts
        return cls(
            pages=counts.pages,
            languages=dict(counts.languages),
            chunks=counts.chunks,
            embedded=counts.embedded,
            pending=counts.pending if generation.build.space is not None else 0,
            failed=counts.failed,
            page_vectors=counts.page_vectors,
            links=counts.links,
            issues=counts.issues,
        )


class BuildAnswer(BaseModel):
    """What the index was made with; `model` is null for an index without vectors."""

    schema_version: int
    chunker: int
    analyzer: int
    dialect: str
    language: str
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

    `level` is where a query is answered now, where a model that is still loading counts as loaded. `issues`
    lists the first ones; `counts.issues` tells how many there are.
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
    """The wikis of this service. `embedder` says whether queries get vectors at present, and if not, why."""

    version: str
    embedder: EmbedderState
    wikis: list[WikiAnswer]


class HealthAnswer(BaseModel):
    """That the process runs (`/healthz`), or that every wiki can be searched (`/readyz`)."""

    status: Literal["ok"]
