"""P(relevant) of the best passage: what cosine and words are worth, and when words alone decide."""

import pytest

from retrieval.relevance import UNKNOWN_SPACE, Calibration, estimate_best, estimate_other, find_ratio

CALIBRATION = Calibration(cosine=10.0, held=5.0, offset=-6.0, floor=0.4)


@pytest.mark.parametrize(
    ("cosine", "held", "expected"),
    [(0.6, 0.0, 0.5), (0.5, 0.2, 0.5), (0.0, 0.0, 0.0025), (1.0, 0.0, 0.982), (-1.0, 0.0, 0.0)],
)
def test_both_signals_count_by_the_calibration(cosine: float, held: float, expected: float) -> None:
    estimate = estimate_best(CALIBRATION, cosine=cosine, held=held)
    assert estimate == pytest.approx(expected, abs=1e-3)


def test_without_a_vector_words_alone_decide() -> None:
    shares = (0.0, 0.5, 1.0)
    alone = [estimate_best(CALIBRATION, cosine=None, held=held) for held in shares]
    assert alone == [estimate_best(UNKNOWN_SPACE, cosine=None, held=held) for held in shares]
    assert alone == [pytest.approx(0.076, abs=1e-3), pytest.approx(0.5), pytest.approx(0.924, abs=1e-3)]


def test_a_space_that_nothing_was_fitted_to_refuses_nothing() -> None:
    assert UNKNOWN_SPACE.floor == 0.0
    near, far = (estimate_best(UNKNOWN_SPACE, cosine=cosine, held=0.3) for cosine in (0.9, 0.1))
    assert near == far


def test_signals_that_are_worth_very_much_overflow_nothing() -> None:
    steep = Calibration(cosine=1e6, held=1e6, offset=-1e3, floor=0.5)
    assert estimate_best(steep, cosine=-1.0, held=0.0) == pytest.approx(0.0, abs=1e-3)
    assert estimate_best(steep, cosine=1.0, held=1.0) == 1.0


def test_others_follow_the_best_by_the_square_of_their_share() -> None:
    assert estimate_other(0.8, 1.0) == 0.8
    assert estimate_other(0.8, 0.5) == pytest.approx(0.2)
    assert find_ratio(0.8, 0.2) == pytest.approx(0.5)
    assert find_ratio(0.2, 0.8) == pytest.approx(2.0)
    assert find_ratio(0.0, 0.1) == 1.0
