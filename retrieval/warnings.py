"""The closed list of warnings: how an answer is weaker than it should be, in the same words on every surface.

A warning never holds a provider's own text; that goes to the log.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Level = Literal["chunk", "page", "llm", "lexical"]
"""How far the dense lane stepped down to answer; `lexical` means that it did not answer at all."""

Code = Literal[
    "embedding-degraded",
    "no-relevant-evidence",
    "llm-fallback-used",
    "llm-unavailable",
    "index-stale",
    "evidence-stale",
    "pack-truncated",
    "graph-truncated",
    "page-issues",
]

Reason = Literal[
    "embedder-unavailable",
    "embedder-timeout",
    "embedder-loading",
    "space-mismatch",
    "chunk-vectors-missing",
    "chunk-vectors-partial",
    "disabled",
]
"""Why an answer had less than the full signal of chunk vectors."""

MeasuredOn = Literal["own-labels", "public-sets"]
"""What a share of full quality was measured on: labels that the wiki holds, or public sets of queries."""

_MEASURED_ON: Mapping[MeasuredOn, str] = {
    "own-labels": "this wiki's own links and headings",
    "public-sets": "public sets of queries; `wikitrail tune` measures this wiki",
}

Detail = str | int | float | bool | None | tuple[str, ...]

_REASONS: Mapping[Reason, tuple[str, bool]] = {
    "embedder-unavailable": ("the embedding model cannot be used", True),
    "embedder-timeout": ("the embedding model did not answer in time", True),
    "embedder-loading": ("the embedding model is still loading", True),
    "space-mismatch": ("the index holds vectors of another embedding model; reindex to use this one", False),
    "chunk-vectors-missing": ("the passages have no vectors yet", True),
    "chunk-vectors-partial": ("some passages have no vectors yet", True),
    "disabled": ("embedding is switched off", False),
}
"""For each reason what to say, and whether asking again later can help."""

_SOURCES: Mapping[Level, str] = {
    "chunk": "passage vectors where there are any, and words",
    "page": "page vectors and words",
    "llm": "a language model's choice of pages, and words",
    "lexical": "words alone",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """The share of full quality that answers of a lower level have on average, from 0 to 1."""

    share: float
    measured_on: MeasuredOn


@dataclass(frozen=True, slots=True, kw_only=True)
class PackWarning:
    """One warning. `level` and `reason` say how far and why retrieval stepped down, None where it did not.

    `retryable` tells whether the same request may do better later; `detail` holds figures and page paths.
    """

    code: Code
    message: str
    level: Level | None = None
    reason: Reason | None = None
    retryable: bool = False
    detail: Mapping[str, Detail] = field(default_factory=dict)


def embedding_degraded(
    level: Level,
    reason: Reason,
    *,
    coverage: float | None = None,
    expected: Expectation | None = None,
) -> PackWarning:
    """The answer had less than the full signal of chunk vectors.

    `coverage` is the share of passages that had one, `expected` how good such an answer is on average.
    """
    cause, retryable = _REASONS[reason]
    detail: dict[str, Detail] = {} if coverage is None else {"coverage": coverage}
    worth = "."
    if expected is not None:
        detail |= {"expected_quality": expected.share, "measured_on": expected.measured_on}
        worth = f": about {expected.share:.0%} of full quality, by {_MEASURED_ON[expected.measured_on]}."
    return PackWarning(
        code="embedding-degraded",
        message=f"Meaning counted for less in this search: {cause}. It used {_SOURCES[level]}{worth}",
        level=level,
        reason=reason,
        retryable=retryable,
        detail=detail,
    )


def no_relevant_evidence(level: Level, *, best: float | None, floor: float) -> PackWarning:
    """Nothing that was found is likely enough to be relevant; `best` is the highest score, if any."""
    return PackWarning(
        code="no-relevant-evidence",
        message="Nothing in this wiki seems to answer the query; ask with `nearest` to see what is closest.",
        level=level,
        detail={"best": best, "floor": floor},
    )


def llm_fallback_used() -> PackWarning:
    """A language model chose the pages, for lack of vectors or of good hits."""
    return PackWarning(
        code="llm-fallback-used",
        message="A language model chose pages from their titles and summaries.",
        level="llm",
    )


def llm_unavailable(level: Level, *, is_set_up: bool) -> PackWarning:
    """The language model was asked to choose pages and gave no usable answer, or there is none to ask."""
    cause = (
        "The language model that chooses pages did not answer" if is_set_up else "No language model is set up"
    )
    return PackWarning(
        code="llm-unavailable",
        message=f"{cause}; the search went on without it.",
        level=level,
        retryable=is_set_up,
    )


def index_stale(*, changed: int) -> PackWarning:
    """Files of the wiki are newer than the index."""
    return PackWarning(
        code="index-stale",
        message=f"The wiki has changed since it was indexed ({changed} files); reindex to search it all.",
        retryable=True,
        detail={"changed": changed},
    )


def evidence_stale(paths: Sequence[str]) -> PackWarning:
    """Cited pages have changed so that the quoted text is no longer there."""
    return PackWarning(
        code="evidence-stale",
        message="Cited pages have changed since they were indexed; passages marked stale are not current.",
        retryable=True,
        detail={"paths": tuple(paths)},
    )


def pack_truncated(*, max_tokens: int) -> PackWarning:
    """Passages were cut or left out to keep to the budget."""
    return PackWarning(
        code="pack-truncated",
        message=f"More was found than fits {max_tokens} tokens; ask with a larger `max_tokens` to see it.",
        detail={"max_tokens": max_tokens},
    )


def graph_truncated() -> PackWarning:
    """Links around the hits were left out: there are too many, or the time was up."""
    return PackWarning(
        code="graph-truncated",
        message="Not all links around the hits were followed; linked pages may be missing.",
    )


def page_issues(*, pages: int) -> PackWarning:
    """Some pages could not be read or embedded in full."""
    return PackWarning(
        code="page-issues",
        message=f"Parts of {pages} pages could not be indexed; `wikitrail status` lists them.",
        detail={"pages": pages},
    )
