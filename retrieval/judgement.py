"""Judging a ranking: P(relevant) of each candidate, and whether there is an answer at all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.candidate import Candidate
from retrieval.ladder import Rung
from retrieval.lexical import LexicalScorer
from retrieval.relevance import (
    CHOSEN,
    NAME_HELD,
    NAME_MISSING,
    Calibration,
    estimate_best,
    estimate_other,
    find_ratio,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """P(relevant) of the best candidate of a ranking, and the floor below which it is no answer."""

    best: float
    floor: float

    def least_ratio(self, least: float | None) -> float:
        """Returns the share of the best score that P(relevant) of `least` asks for.

        By default it is that of `Ranking.least`, which is the same however sure the best is.
        """
        return find_ratio(1.0, self.floor) if least is None else find_ratio(self.best, least)

    def apply(self, ranked: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Returns the candidates with P(relevant) in place of their scores."""
        first = max((candidate.score for candidate in ranked), default=0.0)
        return tuple(
            replace(candidate, score=estimate_other(self.best, candidate.score / first))
            for candidate in ranked
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """What a query's candidates are judged by.

    `floor` takes the place of the calibration's where something was fitted to the wiki. `foreign` says that
    the embedder has hardly seen the query's script.
    """

    calibration: Calibration
    floor: float | None
    rung: Rung
    scorer: LexicalScorer | None
    foreign: bool

    def judge(self, ranked: Sequence[Candidate]) -> Judgement:
        """Returns the judgement on a ranking, by the first of it; without vectors nothing is refused."""
        best = self._estimate(ranked[0]) if ranked else 0.0
        fitted = self.calibration.floor if self.floor is None else self.floor
        return Judgement(best=best, floor=fitted if self.rung.vector is not None else 0.0)

    def _estimate(self, best: Candidate) -> float:
        scorer = self.scorer
        vector_tells = self.rung.vector is not None and not self.foreign
        if scorer is not None and scorer.asks_for_identifiers:
            vector_tells = False  # it likens each name to others that look alike
        found = estimate_best(
            self.calibration,
            cosine=best.scores.dense if vector_tells else None,
            held=scorer.held(best) if scorer else 0.0,
        )
        if self.rung.chosen:
            return max(found, CHOSEN)
        if scorer is None or not scorer.asks_for_identifiers:
            return found
        if scorer.misses_identifiers:
            return min(found, NAME_MISSING)
        return max(found, NAME_HELD) if scorer.holds_identifier(best) else found
