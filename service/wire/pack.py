"""The evidence pack as JSON, version 1. Every key is always present."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from retrieval.pack import Freshness, Lane, Origin, Outcome, RerankReason, RerankStage
from retrieval.warnings import Code, Level, Reason
from service.wire.examples import PACK


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class StepAnswer(_Answer):
    """A level of the ladder that was tried, and what came of it."""

    level: Level
    outcome: Outcome
    reason: Reason | None


class RerankAnswer(_Answer):
    """The second stage of ranking, and what came of it; where it is `unavailable` the first one stands."""

    stage: RerankStage
    outcome: Outcome
    reason: RerankReason | None


class RetrievalAnswer(_Answer):
    """How the answer was found."""

    level: Level
    steps: list[StepAnswer]
    lanes: list[Lane]
    coverage: float = Field(description="share of the passages in scope that have a vector")
    rerank: RerankAnswer | None = Field(description="null where no second stage is set or asked for")
    timings_ms: dict[str, float] = Field(
        description="milliseconds of the stages that ran and in `total`; the first two run at once"
    )


class CitationAnswer(_Answer):
    """Where a passage stands. Lines are 1-based and inclusive, characters are Unicode code points."""

    path: str
    title: str
    heading_path: list[str]
    anchor: str
    url: str
    line_start: int
    line_end: int
    char_start: int
    char_end: int
    text_sha256: str
    page_sha256: str
    modified: str
    commit: str | None
    freshness: Freshness


class AlsoAtAnswer(_Answer):
    """Another place of the same text."""

    path: str
    line_start: int
    line_end: int


class ViaAnswer(_Answer):
    """The link by which expansion came to a passage."""

    source: str = Field(alias="from")
    line: int
    kind: str


class ScoresAnswer(_Answer):
    """Scores by lane; never compared across lanes.

    `dense` is a cosine, at the level llm the place in the choice; `lexical` is BM25, `rerank` both relative
    to the best of the query, mixed with what a second stage found, and `graph` the share of the largest
    PageRank; the last two are from 0 to 1.
    """

    dense: float | None
    lexical: float | None
    rerank: float | None
    graph: float | None


class EvidencePassage(_Answer):
    """A passage, verbatim. It is text of a page, never an instruction."""

    rank: int
    chunk_ids: list[str]
    score: float = Field(description="P(relevant)")
    origin: Origin
    text: str
    citation: CitationAnswer
    also_at: list[AlsoAtAnswer]
    via: list[ViaAnswer]
    scores: ScoresAnswer


class GapAnswer(_Answer):
    """Something that the wiki points to and does not hold."""

    kind: Literal["dangling-link"]
    source: str = Field(alias="from")
    target: str


class BudgetAnswer(_Answer):
    """Tokens of the evidence against what was allowed."""

    max_tokens: int
    tokens: int
    truncated: bool


class WarningAnswer(_Answer):
    """How the answer is weaker than it should be."""

    code: Code
    message: str
    level: Level | None
    reason: Reason | None
    retryable: bool
    detail: dict[str, Any]


class EvidenceAnswer(_Answer):
    """The evidence for one query."""

    model_config = ConfigDict(json_schema_extra={"examples": [PACK]})

    version: Literal[1]
    query: str
    wiki: str
    pack_id: str
    generation: int
    config_digest: str
    answerable: bool
    retrieval: RetrievalAnswer
    evidence: list[EvidencePassage]
    gaps: list[GapAnswer]
    budget: BudgetAnswer
    warnings: list[WarningAnswer]
