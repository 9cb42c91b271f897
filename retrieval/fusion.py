"""Fusion: one score from the dense and the lexical one, each relative to the best of the query.

    dense   = cosine - origin, of the passage + page_dense * of its page
    lexical = BM25 of the passage + page_lexical * of its page
    score   = w * dense / max(dense) + (1 - w) * lexical / max(lexical)

A convex combination of scores beats reciprocal ranks (Bruch, Gai and Ingber, An Analysis of Fusion Functions
for Hybrid Retrieval, 2023), here too. Where one lane did not run the other has all the weight. The page is
there because a passage rarely says what its page is about. The origin is the cosine of texts that have
nothing in common, which is near 0 for some models and .7 for others.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from retrieval.candidate import Candidate, sort_candidates
from retrieval.weights import RankingWeights


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """How the scores of one query are put together, and the best that any candidate has in each lane.

    `measured` says that every candidate was measured by its vector: one without a dense score has none, and
    is judged by its words alone.
    """

    weights: RankingWeights
    dense_weight: float
    origin: float = 0.0
    measured: bool = False
    best_dense: float = 0.0
    best_lexical: float = 0.0

    def fit(self, candidates: Iterable[Candidate]) -> "Fusion":
        """Takes the best scores of the candidates; with one lane only, that has all the weight."""
        found = list(candidates)
        dense = max(map(self._sum_dense, found), default=0.0)
        lexical = max(map(self._sum_lexical, found), default=0.0)
        one_lane = dense <= 0 or lexical <= 0
        weight = float(dense > 0) if one_lane else self.dense_weight
        return replace(self, dense_weight=weight, best_dense=dense, best_lexical=lexical)

    def rank(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Returns the candidates with their combined score, best first, without those that have none.

        Passages of one section say much the same, so each counts less than the one before it.
        """
        scored = [self.apply(candidate) for candidate in candidates]
        counts: Counter[tuple[str, int]] = Counter()
        ranked = []
        for candidate in sort_candidates(candidate for candidate in scored if candidate.score > 0):
            section = candidate.page_id, candidate.section
            ranked.append(_set_score(candidate, candidate.score * self.weights.again ** counts[section]))
            counts[section] += 1
        return sort_candidates(ranked)

    def apply(self, candidate: Candidate) -> Candidate:
        """Returns a candidate with its combined score, from 0 to 1."""
        dense = _relate(self._sum_dense(candidate), self.best_dense)
        lexical = _relate(self._sum_lexical(candidate), self.best_lexical)
        unknown = self.measured and candidate.scores.dense is None
        weight = 0.0 if unknown else self.dense_weight
        return _set_score(candidate, weight * dense + (1 - weight) * lexical)

    def _sum_dense(self, candidate: Candidate) -> float:
        own, page = candidate.scores.dense, candidate.page_scores.dense
        if own is None:
            return 0.0
        around = own if page is None else page
        return max(0.0, own - self.origin + self.weights.page_dense * (around - self.origin))

    def _sum_lexical(self, candidate: Candidate) -> float:
        own, page = candidate.scores.lexical or 0.0, candidate.page_scores.lexical or 0.0
        return own + self.weights.page_lexical * page


def _set_score(candidate: Candidate, score: float) -> Candidate:
    return replace(candidate, score=score, scores=replace(candidate.scores, rerank=score))


def _relate(score: float, best: float) -> float:
    """Returns a score as a share of the best; one that was not fitted may be above it, and counts no more."""
    return min(1.0, score / best) if best > 0 else 0.0
