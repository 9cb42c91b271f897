"""The raw scores of candidates: BM25 by the words of the query, cosine by its vector."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.candidate import Candidate
from retrieval.dense import measure_similarity
from retrieval.ladder import Rung
from retrieval.lexical import LexicalScorer
from retrieval.store import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """What candidates of one query are measured by; without a scorer only vectors count."""

    snapshot: Snapshot
    rung: Rung
    scorer: LexicalScorer | None

    async def measure(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Returns the candidates with their raw scores."""
        if not candidates:
            return []
        similar = await measure_similarity(self.snapshot, self.rung, candidates)
        lexical = self.scorer.score(candidates) if self.scorer else [None] * len(candidates)
        return [
            replace(
                candidate,
                scores=replace(candidate.scores, lexical=score, dense=similar.get(candidate.chunk_id)),
            )
            for candidate, score in zip(candidates, lexical, strict=True)
        ]
