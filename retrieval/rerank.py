"""The rerank: each candidate and its page are scored by both lanes, BM25 with the corpus's statistics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.candidate import Candidate, PageScores
from retrieval.dense import measure_chunks, measure_pages
from retrieval.ladder import Rung
from retrieval.lexical import LexicalScorer
from retrieval.store import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranker:
    """What the candidates of one query are measured by; without a scorer only the dense lane counts."""

    snapshot: Snapshot
    rung: Rung
    scorer: LexicalScorer | None

    async def measure(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Returns the candidates with the scores of both lanes; the index's own is replaced."""
        if not candidates:
            return []
        pages = await measure_pages(self.snapshot, self.rung, candidates)
        unseen = [candidate for candidate in candidates if candidate.scores.dense is None]
        chunks = await measure_chunks(self.snapshot, self.rung, unseen)
        none = [None] * len(candidates)
        lexical = self.scorer.score(candidates) if self.scorer else none
        around = self.scorer.score_pages(candidates) if self.scorer else none
        return [
            replace(
                candidate,
                scores=replace(candidate.scores, lexical=score, dense=_find_dense(candidate, chunks, pages)),
                page_scores=PageScores(dense=pages.get(candidate.page_id), lexical=page_score),
            )
            for candidate, score, page_score in zip(candidates, lexical, around, strict=True)
        ]


def _find_dense(
    candidate: Candidate, chunks: Mapping[str, float], pages: Mapping[str, float]
) -> float | None:
    """Returns the dense score that a candidate came with, else that of its vector, else that of its page."""
    if candidate.scores.dense is not None:
        return candidate.scores.dense
    return chunks.get(candidate.chunk_id, pages.get(candidate.page_id))
