"""The floor below which a query has no answer, fitted to labels."""

from collections.abc import Sequence

from service.tuning.floor import MOST_REFUSED, fit_floor
from service.tuning.labels import Label, Place
from service.tuning.trials import Trial


def try_labels(probabilities: Sequence[float]) -> list[Trial]:
    label = Label(kind="link", query="q", places=(Place(path="a.md"),))
    return [Trial(label=label, foreign=False, candidates=(), best=best) for best in probabilities]


def test_a_floor_that_refuses_few_labels_is_raised() -> None:
    surely = try_labels([0.6 + number / 1_000 for number in range(100)])
    found = fit_floor(surely, surely, try_labels([0.1, 0.2, 0.5, 0.9]), default=0.15)
    assert (found.fitted, found.default) == (0.6, 0.15)
    assert (found.refused, found.refused_without) == (0.0, 0.75)


def test_a_floor_that_refuses_many_labels_is_lowered() -> None:
    unsurely = try_labels([number / 100 for number in range(100)])
    found = fit_floor(unsurely, unsurely, unsurely, default=0.3)
    assert found.fitted == 0.02
    assert found.refused <= MOST_REFUSED


def test_a_floor_that_does_not_hold_for_the_other_half_is_not_raised() -> None:
    found = fit_floor(try_labels([0.9] * 50), try_labels([0.5] * 50), try_labels([0.1]), default=0.2)
    assert (found.fitted, found.refused, found.refused_without) == (None, 0.0, 1.0)


def test_a_floor_that_refuses_some_labels_stays() -> None:
    labels = try_labels([0.1, 0.1, 0.1] + [0.9] * 97)
    assert fit_floor(labels, labels, labels, default=0.2).fitted is None
