"""Fitting weights to labels: the candidates of each are found once and ranked again for other weights.

One weight after the other takes the value of a coarse grid that is best on all labels, twice. Then each goes
back to its default unless it earns its place: unless quality falls by more than the standard error of the
paired difference (the one-standard-error rule of Breiman et al., Classification and Regression Trees, 1984).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from retrieval.candidate import Candidate
from retrieval.fusion import Fusion
from retrieval.weights import RankingWeights
from service.tuning.quality import Qualities, mean, measure_quality
from service.tuning.trials import Trial

GRID: Mapping[str, tuple[float, ...]] = {
    "dense": (0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9),
    "foreign_dense": (0.0, 0.1, 0.2, 0.35, 0.5, 0.65),
    "page_dense": (0.0, 0.25, 0.5, 1.0),
    "page_lexical": (0.0, 0.25, 0.5, 1.0, 2.0),
}
"""The weights that are fitted, and the values that are tried.

That of links is not: labels are made of links, and every target of one has links that lead to it.
"""

_ROUNDS = 2
STEPS = _ROUNDS * len(GRID)

Measure = Callable[[RankingWeights], Qualities]
"""Returns the quality of each label with some weights."""


def fit_weights(measure: Measure, defaults: RankingWeights, *, advance: Callable[[], None]) -> RankingWeights:
    """Returns the weights that are best by a measure, as near to the defaults as the labels allow.

    `advance` is called after each of `STEPS`.
    """
    known: dict[RankingWeights, Qualities] = {}

    def measured(weights: RankingWeights) -> Qualities:
        if weights not in known:
            known[weights] = measure(weights)
        return known[weights]

    best = defaults
    for _ in range(_ROUNDS):
        for name, values in GRID.items():
            tried = (best, *(replace(best, **{name: value}) for value in values))
            best = max(tried, key=lambda weights: mean(measured(weights)))
            advance()
    return _simplify(best, defaults, measured)


def _simplify(best: RankingWeights, defaults: RankingWeights, measured: Measure) -> RankingWeights:
    """Takes back, one after the other, what does not lower quality by more than one standard error."""
    kept, reference = best, measured(best)
    while True:
        nearer = [
            replace(kept, **{name: getattr(defaults, name)})
            for name in GRID
            if getattr(kept, name) != getattr(defaults, name)
        ]
        if not nearer:
            return kept
        simpler = max(nearer, key=lambda weights: mean(measured(weights)))
        loss, error = _compare(reference, measured(simpler))
        if loss > error:
            return kept
        kept = simpler


def rank_again(trials: Sequence[Trial], origin: float) -> Measure:
    """Returns a measure of weights over the candidates of trials; `origin` is that of the vector space.

    Links are left out of it, so that each weight is judged by what it does itself.
    """

    def measure(weights: RankingWeights) -> Qualities:
        return measure_quality([(trial.label, _rank(trial, weights, origin)) for trial in trials])

    return measure


def _rank(trial: Trial, weights: RankingWeights, origin: float) -> Sequence[Candidate]:
    share = weights.of_dense("chunk", foreign=trial.foreign)
    fusion = Fusion(weights=weights, dense_weight=share, origin=origin).fit(trial.candidates)
    return fusion.rank(trial.candidates)


def _compare(better: Qualities, worse: Qualities) -> tuple[float, float]:
    """Returns by how much quality falls on average, and the standard error of that."""
    differences = np.array([better[key] - worse[key] for key in better])
    return float(differences.mean()), float(differences.std() / np.sqrt(len(differences)))
