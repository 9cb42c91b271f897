"""Fusion: one score from the dense and the lexical one, each relative to the best of the query.

    score = w * dense / max(dense) + (1 - w) * lexical / max(lexical)

A convex combination of scores beats reciprocal ranks (Bruch, Gai and Ingber, An Analysis of Fusion Functions
for Hybrid Retrieval, 2023), here too. Where one lane did not run the other has all the weight.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import regex

from retrieval.candidate import Candidate, sort_candidates
from retrieval.pack import Scores
from retrieval.warnings import Level

DENSE_WEIGHT = 0.45
# A model for English says little about scripts it has hardly seen.
FOREIGN_DENSE_WEIGHT = 0.1
CHOICE_WEIGHT = 0.7
"""What a language model's choice of pages weighs, which has read the query in any script."""

_FOREIGN = regex.compile(r"[\p{L}--\p{Latin}]", regex.VERSION1)
_LETTER = regex.compile(r"\p{L}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """The weight of the dense lane for one query, and the best scores that any candidate has."""

    dense_weight: float
    best_dense: float
    best_lexical: float

    @classmethod
    def fit(cls, candidates: Iterable[Candidate], *, dense_weight: float) -> "Fusion":
        """Takes the best scores of the candidates; with one lane only, that has all the weight."""
        scores = [candidate.scores for candidate in candidates]
        dense = max((score.dense for score in scores if score.dense is not None), default=0.0)
        lexical = max((score.lexical or 0.0 for score in scores), default=0.0)
        if dense <= 0 or lexical <= 0:
            dense_weight = float(dense > 0)
        return cls(dense_weight=dense_weight, best_dense=dense, best_lexical=lexical)

    def rank(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Returns the candidates with their combined score, best first, without those that have none."""
        scored = [self.apply(candidate) for candidate in candidates]
        return sort_candidates(candidate for candidate in scored if candidate.score > 0)

    def apply(self, candidate: Candidate) -> Candidate:
        """Returns a candidate with its combined score, from 0 to 1."""
        score = self._combine(candidate.scores)
        return replace(candidate, score=score, scores=replace(candidate.scores, rerank=score))

    def _combine(self, scores: Scores) -> float:
        dense = _relate(scores.dense, self.best_dense)
        lexical = _relate(scores.lexical, self.best_lexical)
        return self.dense_weight * dense + (1 - self.dense_weight) * lexical


def _relate(score: float | None, best: float) -> float:
    """Returns a score as a share of the best; one that was not fitted may be above it, and counts no more."""
    return min(1.0, max(0.0, score or 0.0) / best) if best > 0 else 0.0


def weigh_dense(query: str, level: Level) -> float:
    """Returns the weight of the dense lane for a query; that of vectors depends on its script."""
    if level == "llm":
        return CHOICE_WEIGHT
    letters, foreign = len(_LETTER.findall(query)), len(_FOREIGN.findall(query))
    return FOREIGN_DENSE_WEIGHT if 2 * foreign > letters else DENSE_WEIGHT
