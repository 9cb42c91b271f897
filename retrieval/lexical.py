"""The lexical lane: the full-text index picks candidates, BM25 with the corpus's statistics scores them."""

from collections.abc import Sequence
from dataclasses import replace

from retrieval import bm25
from retrieval.candidate import COLUMNS, Candidate, read_candidate
from retrieval.pack import Scores
from retrieval.predicates import in_predicate
from retrieval.store import Snapshot


async def find_by_terms(
    snapshot: Snapshot, terms: Sequence[str], *, where: str | None, limit: int
) -> list[Candidate]:
    """Returns up to `limit` chunks that hold any of the terms, best first by the index's own score."""
    if not terms or snapshot.generation.counts.chunks == 0:
        return []
    rows = await snapshot.match_terms(terms, columns=COLUMNS, where=where, limit=limit)
    found = [
        replace(read_candidate(row), scores=Scores(lexical=float(row["_score"]))) for row in rows.to_pylist()
    ]
    return sorted(found, key=lambda candidate: (-(candidate.scores.lexical or 0.0), candidate.chunk_id))


class LexicalScorer:
    """Scores chunks against the terms of one query."""

    def __init__(self, terms: Sequence[str], statistics: bm25.CorpusStatistics) -> None:
        self._terms = terms
        self._statistics = statistics
        self._bound = bm25.upper_bound(terms, statistics)

    @classmethod
    async def prepare(cls, snapshot: Snapshot, terms: Sequence[str]) -> "LexicalScorer":
        """Reads how many chunks of the whole corpus hold each term."""
        columns = ["term", "document_frequency"]
        rows = await snapshot.rows("terms", columns=columns, where=in_predicate("term", terms))
        counts = snapshot.generation.counts
        frequency = dict(zip(rows["term"].to_pylist(), rows["document_frequency"].to_pylist(), strict=True))
        statistics = bm25.CorpusStatistics(
            document_count=counts.chunks,
            average_length=counts.average_length,
            document_frequency=frequency,
        )
        return cls(terms, statistics)

    def score(self, candidates: Sequence[Candidate]) -> list[float]:
        """Returns the BM25 score of each candidate, 0.0 for one that holds no term of the query."""
        documents = [candidate.terms for candidate in candidates]
        return bm25.score(self._terms, documents, self._statistics)

    def share(self, score: float) -> float:
        """Returns the share of the query's weight that a score stands for, from 0 to 1."""
        return bm25.lexical_relevance(score, self._bound)
