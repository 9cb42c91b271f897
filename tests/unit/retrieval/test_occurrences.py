"""Texts inside texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.repair.occurrences import find_last, find_nearest

TEXTS = st.text("ab", max_size=20)
WANTED = st.text("ab", min_size=1, max_size=4)


@given(text=TEXTS, wanted=WANTED, end=st.integers(0, 25))
def test_the_last_occurrence_is_that_of_rfind(text: str, wanted: str, end: int) -> None:
    assert find_last(text, wanted, end) == text.rfind(wanted, 0, end)


@given(text=TEXTS, wanted=WANTED, near=st.integers(0, 25))
def test_the_nearest_occurrence_is_the_nearest(text: str, wanted: str, near: int) -> None:
    places = [place for place in range(len(text)) if text.startswith(wanted, place)]
    found = find_nearest(text, wanted, near)
    assert (found in places) if places else found is None
    assert all(abs(place - near) >= abs((found or 0) - near) for place in places)


def test_nothing_is_nowhere() -> None:
    assert find_nearest("text", "", 0) is None


@pytest.mark.parametrize("wanted", ["a" * 50_000 + "b" + "a" * 50_000, "b" + "a" * 100_000])
def test_texts_that_repeat_themselves_take_no_longer(wanted: str) -> None:
    # Letter by letter this would be tens of thousands of millions of steps.
    text = "a" * 1_000_000
    assert find_last(text, wanted, len(text)) == -1
    assert find_last(text + wanted + text, wanted, 3_000_000) == len(text)
