"""The state of the wikis as JSON."""

from typing import Literal, Self

from pydantic import BaseModel

from retrieval.citation import format_time
from retrieval.expectation import list_shares
from retrieval.query_embedder import EmbedderState
from retrieval.store import Generation
from retrieval.tuning import LabelKind
from retrieval.warnings import Level, MeasuredOn
from retrieval.weights import list_changes


class CountsAnswer(BaseModel):
    """Totals of a generation; chunks are `embedded`, `pending` or `failed`. `languages` counts pages."""

    pages: int
    languages: dict[str, int]
    chunks: int
    embedded: int
    pending: int
    failed: int
    page_vectors: int
    token_vectors: int
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
            token_vectors=counts.tokens,
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


class QualityAnswer(BaseModel):
    """The share of full quality that answers of lower levels have, and what it was measured on."""

    page: float
    lexical: float
    measured_on: MeasuredOn

    @classmethod
    def of(cls, generation: Generation) -> Self:
        """Returns what is to be expected of a wiki with `generation`."""
        shares = list_shares(generation)
        page, lexical = shares["page"], shares["lexical"]
        return cls(page=page.share, lexical=lexical.share, measured_on=page.measured_on)


class TuningAnswer(BaseModel):
    """What was fitted to a wiki, at `created` to the labels of `generation`, counted by kind.

    It is not `at_work` where the index has got other vectors or terms since. `changed` has the weights that
    are not the default ones, default first; without a `floor` that of the model holds. `before` and `after`
    are the quality of held-back labels with the default weights and the fitted ones, which are `taken` where
    the difference, in 95 % of draws from `low` to `high`, is above 0.
    """

    at_work: bool
    created: str
    generation: int
    labels: dict[LabelKind, int]
    changed: dict[str, tuple[float, float]]
    floor: float | None
    before: float
    after: float
    low: float
    high: float
    taken: bool

    @classmethod
    def of(cls, generation: Generation) -> Self | None:
        """Returns the tuning of `generation`, if it has one."""
        tuning = generation.tuning
        if tuning is None:
            return None
        source, gain = tuning.provenance, tuning.provenance.gain
        return cls(
            at_work=generation.tuning_at_work is not None,
            created=format_time(source.created),
            generation=source.generation,
            labels=dict(source.labels),
            changed=list_changes(tuning.weights),
            floor=tuning.floor,
            before=gain.before,
            after=gain.after,
            low=gain.low,
            high=gain.high,
            taken=gain.taken,
        )


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
    quality: QualityAnswer | None
    tuning: TuningAnswer | None


class StatusAnswer(BaseModel):
    """The wikis of this service. `embedder` says whether queries get vectors at present, and if not, why."""

    version: str
    embedder: EmbedderState
    wikis: list[WikiAnswer]


class HealthAnswer(BaseModel):
    """That the process runs (`/healthz`), or that every wiki can be searched (`/readyz`)."""

    status: Literal["ok"]
