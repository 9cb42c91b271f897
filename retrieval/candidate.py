"""A candidate: a chunk that some lane found, with all that evidence needs to cite it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chunking.model import Span
from retrieval.pack import Origin, Scores, Via
from retrieval.rows import SPAN_COLUMNS, read_span


@dataclass(frozen=True, slots=True, kw_only=True)
class PageScores:
    """What the lanes make of the page around a candidate; None where they did not look at it."""

    dense: float | None = None
    lexical: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A chunk on its way to become evidence.

    `ordinal`, `section`, `span`, `text_sha256`, `tokens` and `heading_only` are as in `chunking.model.Chunk`;
    `tokens` counts the embedded text. `modified` is in seconds since 1970. `terms` are those of the index,
    and `page_terms` is how many its whole page has. `score` is P(relevant), 0.0 until it has been scored.
    """

    chunk_id: str
    page_id: str
    path: str
    title: str
    heading_path: tuple[str, ...]
    anchor: str
    ordinal: int
    section: int
    span: Span
    text: str
    text_sha256: str
    page_sha256: str
    tokens: int
    modified: float
    heading_only: bool
    terms: tuple[str, ...] = ()
    page_terms: int = 0
    score: float = 0.0
    scores: Scores = field(default_factory=Scores)
    page_scores: PageScores = field(default_factory=PageScores)
    origin: Origin = "direct"
    via: tuple[Via, ...] = ()


COLUMNS = (
    "chunk_id",
    "page_id",
    "path",
    "title",
    "heading_path",
    "anchor",
    "ordinal",
    "section",
    *SPAN_COLUMNS,
    "text",
    "text_sha256",
    "page_sha256",
    "tokens",
    "modified",
    "heading_only",
    "terms",
    "page_terms",
)
"""The columns of the table `chunks` that make a candidate."""


def read_candidate(row: Mapping[str, Any]) -> Candidate:
    """Returns the candidate that a row of `chunks` is, not scored yet."""
    return Candidate(
        chunk_id=row["chunk_id"],
        page_id=row["page_id"],
        path=row["path"],
        title=row["title"],
        heading_path=tuple(row["heading_path"]),
        anchor=row["anchor"],
        ordinal=row["ordinal"],
        section=row["section"],
        span=read_span(row),
        text=row["text"],
        text_sha256=row["text_sha256"],
        page_sha256=row["page_sha256"],
        tokens=row["tokens"],
        modified=row["modified"],
        heading_only=row["heading_only"],
        terms=tuple(row["terms"].split()),
        page_terms=row["page_terms"],
    )


def sort_candidates(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Returns candidates best first; equals in the order of the page, bare headings last."""
    return sorted(
        candidates, key=lambda item: (-item.score, item.heading_only, item.path, item.ordinal, item.chunk_id)
    )
