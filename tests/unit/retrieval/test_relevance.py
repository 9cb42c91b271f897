"""P(relevant) of the best passage: what cosine and share of words are worth, and when words alone decide."""

import pytest

from retrieval.relevance import UNKNOWN_SPACE, Calibration, estimate_best

CALIBRATION = Calibration(cosine=10.0, share=5.0, offset=-6.0, floor=0.4)


@pytest.mark.parametrize(
    ("cosine", "share", "expected"),
    [(0.6, 0.0, 0.5), (0.5, 0.2, 0.5), (0.0, 0.0, 0.0025), (1.0, 0.0, 0.982), (-1.0, 0.0, 0.0)],
)
def test_both_signals_count_by_the_calibration(cosine: float, share: float, expected: float) -> None:
    estimate = estimate_best(CALIBRATION, cosine=cosine, share=share, held=0.0)
    assert estimate == pytest.approx(expected, abs=1e-3)


def test_nearly_all_words_of_the_query_are_enough_whatever_the_vector() -> None:
    assert estimate_best(CALIBRATION, cosine=-1.0, share=0.3, held=1.0) > 0.98
    assert estimate_best(CALIBRATION, cosine=-1.0, share=0.3, held=0.5) < 0.01


def test_without_a_vector_words_alone_decide() -> None:
    shares = (0.0, 0.3, 1.0)
    alone = [estimate_best(CALIBRATION, cosine=None, share=share, held=0.0) for share in shares]
    assert alone == [estimate_best(UNKNOWN_SPACE, cosine=None, share=share, held=0.0) for share in shares]
    assert alone == [
        pytest.approx(0.02, abs=1e-3),
        pytest.approx(0.53, abs=1e-2),
        pytest.approx(1.0, abs=1e-3),
    ]


def test_a_space_that_nothing_was_fitted_to_refuses_nothing() -> None:
    assert UNKNOWN_SPACE.floor == 0.0
    near, far = (estimate_best(UNKNOWN_SPACE, cosine=cosine, share=0.3, held=0.3) for cosine in (0.9, 0.1))
    assert near == far


def test_signals_that_are_worth_very_much_overflow_nothing() -> None:
    steep = Calibration(cosine=1e6, share=1e6, offset=-1e3, floor=0.5)
    assert estimate_best(steep, cosine=-1.0, share=0.0, held=0.0) == pytest.approx(0.0, abs=1e-3)
    assert estimate_best(steep, cosine=1.0, share=1.0, held=1.0) == 1.0
