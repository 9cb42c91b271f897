"""The rerank: each candidate is scored by both lanes, BM25 with the corpus's statistics."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.candidate import Candidate
from retrieval.dense import measure_similarity
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
        unseen = [candidate for candidate in candidates if candidate.scores.dense is None]
        similar = await measure_similarity(self.snapshot, self.rung, unseen)
        lexical = self.scorer.score(candidates) if self.scorer else [None] * len(candidates)
        return [
            replace(
                candidate,
                scores=replace(
                    candidate.scores,
                    lexical=score,
                    dense=similar.get(candidate.chunk_id, candidate.scores.dense),
                ),
            )
            for candidate, score in zip(candidates, lexical, strict=True)
        ]
