"""Fusion and rerank: one score from cosine and BM25, each relative to the best of the query.

    score = w * cosine / max(cosine) + (1 - w) * bm25 / max(bm25)

A convex combination of scores beats reciprocal ranks (Bruch, Gai and Ingber, An Analysis of Fusion Functions
for Hybrid Retrieval, 2023), here too. Every candidate has both: BM25 scores those that vectors found, and the
other way round. Where one lane did not run the other has all the weight.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import regex

from retrieval.candidate import Candidate
from retrieval.pack import Scores

DENSE_WEIGHT = 0.45
# A model for English says little about scripts it has hardly seen.
FOREIGN_DENSE_WEIGHT = 0.1

_FOREIGN = regex.compile(r"[\p{L}--\p{Latin}]", regex.VERSION1)
_LETTER = regex.compile(r"\p{L}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """The weight of the dense lane for one query, and the best raw scores that any candidate has."""

    dense_weight: float
    best_dense: float
    best_lexical: float

    @classmethod
    def fit(cls, candidates: Iterable[Candidate], *, dense_weight: float) -> "Fusion":
        """Takes the best raw scores of the candidates; with one lane only, that has all the weight."""
        scores = [candidate.scores for candidate in candidates]
        dense = max((score.dense for score in scores if score.dense is not None), default=0.0)
        lexical = max((score.lexical or 0.0 for score in scores), default=0.0)
        if dense <= 0 or lexical <= 0:
            dense_weight = float(dense > 0)
        return cls(dense_weight=dense_weight, best_dense=dense, best_lexical=lexical)

    def score(self, scores: Scores) -> float:
        """Returns the combined score, from 0 to 1 for the candidates that were fitted."""
        dense = max(0.0, scores.dense or 0.0) / self.best_dense if self.best_dense > 0 else 0.0
        lexical = (scores.lexical or 0.0) / self.best_lexical if self.best_lexical > 0 else 0.0
        return self.dense_weight * dense + (1 - self.dense_weight) * lexical


def weigh_dense(query: str) -> float:
    """Returns the weight of the dense lane for a query, by the script of most of its letters."""
    letters, foreign = len(_LETTER.findall(query)), len(_FOREIGN.findall(query))
    return FOREIGN_DENSE_WEIGHT if 2 * foreign > letters else DENSE_WEIGHT
