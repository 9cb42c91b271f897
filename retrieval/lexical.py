"""The lexical lane: the full-text index picks candidates, BM25 with the corpus's statistics ranks them."""

from collections.abc import Sequence
from typing import Any

from chunking.model import Span
from retrieval import bm25
from retrieval.candidate import Candidate
from retrieval.pack import Scores
from retrieval.predicates import in_predicate
from retrieval.store import Snapshot

POOL = 100
"""Candidates are taken in at least this number, so that ties and the index's own scores decide nothing."""

_POOL_PER_HIT = 4

COLUMNS = (
    "chunk_id",
    "page_id",
    "path",
    "title",
    "heading_path",
    "anchor",
    "ordinal",
    "section",
    "line_start",
    "line_end",
    "char_start",
    "char_end",
    "text",
    "text_sha256",
    "page_sha256",
    "tokens",
    "modified",
    "heading_only",
    "terms",
)


async def search_terms(
    snapshot: Snapshot, terms: Sequence[str], *, where: str | None, k: int
) -> list[Candidate]:
    """Returns the chunks that hold any of the terms, best first, ties in the order of ids.

    Scores are the share of the query's weight that a chunk holds, in [0, 1].
    """
    if not terms or snapshot.generation.counts.chunks == 0:
        return []
    limit = max(POOL, _POOL_PER_HIT * k)
    rows = (await snapshot.match_terms(terms, columns=COLUMNS, where=where, limit=limit)).to_pylist()
    statistics = await _read_statistics(snapshot, terms)
    scores = bm25.score(terms, [row["terms"].split() for row in rows], statistics)
    bound = bm25.upper_bound(terms, statistics)
    candidates = [
        _to_candidate(row, score, bm25.lexical_relevance(score, bound))
        for row, score in zip(rows, scores, strict=True)
        if score > 0.0
    ]
    return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.chunk_id))


async def _read_statistics(snapshot: Snapshot, terms: Sequence[str]) -> bm25.CorpusStatistics:
    counts = snapshot.generation.counts
    columns = ["term", "document_frequency"]
    rows = await snapshot.rows("terms", columns=columns, where=in_predicate("term", terms))
    frequencies = dict(zip(rows["term"].to_pylist(), rows["document_frequency"].to_pylist(), strict=True))
    return bm25.CorpusStatistics(
        document_count=counts.chunks,
        average_length=counts.average_length,
        document_frequency=frequencies,
    )


def _to_candidate(row: dict[str, Any], score: float, relevance: float) -> Candidate:
    return Candidate(
        chunk_id=row["chunk_id"],
        page_id=row["page_id"],
        path=row["path"],
        title=row["title"],
        heading_path=tuple(row["heading_path"]),
        anchor=row["anchor"],
        ordinal=row["ordinal"],
        section=row["section"],
        span=Span(
            char_start=row["char_start"],
            char_end=row["char_end"],
            line_start=row["line_start"],
            line_end=row["line_end"],
        ),
        text=row["text"],
        text_sha256=row["text_sha256"],
        page_sha256=row["page_sha256"],
        tokens=row["tokens"],
        modified=row["modified"],
        heading_only=row["heading_only"],
        score=relevance,
        scores=Scores(lexical=score),
    )
