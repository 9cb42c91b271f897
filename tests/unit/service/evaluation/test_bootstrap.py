"""Intervals of differences."""

import numpy as np
import pytest

from service.evaluation.bootstrap import Difference, compare


def values(numbers: list[float]) -> dict[str, float]:
    return {f"q{number}": value for number, value in enumerate(numbers)}


def test_a_constant_difference_is_certain() -> None:
    found = compare(values([0.75, 0.5, 1.0]), values([0.5, 0.25, 0.75]))
    assert found == Difference(mean=0.25, low=0.25, high=0.25)


def test_it_is_paired() -> None:
    numbers = list(np.random.default_rng(1).random(50))
    found = compare(values([number + 0.01 for number in numbers]), values(numbers))
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(0.01), pytest.approx(0.01))


def test_the_interval_is_that_of_the_normal_distribution_for_many_queries() -> None:
    differences = list(np.random.default_rng(2).normal(0.1, 1.0, size=2_000))
    found = compare(values(differences), values([0.0] * 2_000))
    assert found is not None
    half = 1.96 * np.std(differences) / np.sqrt(2_000)
    assert found.mean == pytest.approx(np.mean(differences))
    assert found.high - found.mean == pytest.approx(half, rel=0.1)
    assert found.mean - found.low == pytest.approx(half, rel=0.1)


def test_the_same_values_give_the_same_interval_in_any_order() -> None:
    run, baseline = values([0.0, 1.0, 0.3, 0.9]), values([0.5, 0.2, 0.4, 0.1])
    turned = dict(reversed(run.items()))
    assert compare(run, baseline) == compare(turned, baseline)


def test_only_queries_that_both_have_count() -> None:
    assert compare({"a": 1.0, "b": 0.0}, {"a": 0.5, "c": 1.0}) == Difference(mean=0.5, low=0.5, high=0.5)
    assert compare({"b": 0.0}, {"c": 1.0}) is None
