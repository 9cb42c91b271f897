"""Fitting weights to what a measure says of them."""

from collections.abc import Callable
from dataclasses import asdict

from retrieval.weights import DEFAULT_WEIGHTS, RankingWeights
from service.tuning.fit import GRID, STEPS, Measure, fit_weights
from service.tuning.quality import Qualities

LABELS = range(100)


def measure_by(quality: Callable[[RankingWeights, int], float]) -> Measure:
    def measure(weights: RankingWeights) -> Qualities:
        return {str(label): quality(weights, label) for label in LABELS}

    return measure


def fit(measure: Measure) -> RankingWeights:
    return fit_weights(measure, DEFAULT_WEIGHTS, advance=lambda: None)


def test_the_best_weights_are_found_one_after_the_other() -> None:
    best = fit(measure_by(lambda weights, _: 1 - abs(weights.dense - 0.8) - abs(weights.page_dense - 1)))
    assert (best.dense, best.page_dense) == (0.8, 1.0)
    assert best.page_lexical == DEFAULT_WEIGHTS.page_lexical


def test_weights_that_change_nothing_stay_the_defaults() -> None:
    assert fit(measure_by(lambda weights, label: label % 2)) == DEFAULT_WEIGHTS


def test_a_gain_within_the_standard_error_is_not_worth_a_change() -> None:
    def quality(weights: RankingWeights, label: int) -> float:
        # Of a hundred labels one is better with more weight for vectors, and one a little worse.
        return 0.5 + (weights.dense - 0.5) * {0: 1.0, 1: -0.9}.get(label, 0.0)

    assert fit(measure_by(quality)) == DEFAULT_WEIGHTS


def test_a_step_is_told_after_each_weight() -> None:
    steps: list[None] = []
    fit_weights(measure_by(lambda _, label: label), DEFAULT_WEIGHTS, advance=lambda: steps.append(None))
    assert len(steps) == STEPS


def test_the_grid_is_of_weights_that_there_are() -> None:
    assert set(GRID) <= set(asdict(DEFAULT_WEIGHTS)) - {"links"}
