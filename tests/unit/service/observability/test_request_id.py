"""Ids of requests."""

import contextvars

import pytest

from service.observability.request_id import begin_request, current_request_id


@pytest.mark.parametrize("wanted", ["a", "A-1_b.c", "0" * 64])
def test_a_safe_id_is_taken_over(wanted: str) -> None:
    assert begin_request(wanted) == wanted
    assert current_request_id() == wanted


@pytest.mark.parametrize(
    "unsafe", [None, "", "0" * 65, "a b", "a\n", "a\r\nX: y", "é", "٣", '"', "a;b", "\x1b[0m", "../x"]
)
def test_another_gets_a_new_one(unsafe: str | None) -> None:
    made = begin_request(unsafe)
    assert (len(made), made.isalnum(), made.isascii()) == (32, True, True)
    assert made != begin_request(unsafe)


def test_outside_of_requests_there_is_none() -> None:
    assert contextvars.Context().run(current_request_id) is None
