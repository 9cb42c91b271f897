"""The time of a request, shared by its parts."""

import pytest

from retrieval.deadline import REQUEST_SECONDS, Deadline


class Clock:
    """Stands in for the clock of a process."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("retrieval.deadline.time.monotonic", clock)
    return clock


def test_a_part_waits_as_long_as_it_wants_or_as_is_left(clock: Clock) -> None:
    deadline = Deadline(5.0)
    assert (deadline.left(2.0), deadline.left(9.0), deadline.has_passed) == (2.0, 5.0, False)
    clock.now += 4.0
    assert (deadline.left(2.0), deadline.left(0.5), deadline.has_passed) == (1.0, 0.5, False)


def test_nothing_is_left_once_the_time_is_up(clock: Clock) -> None:
    deadline = Deadline(5.0)
    clock.now += 5.0
    assert (deadline.left(2.0), deadline.has_passed) == (0.0, True)
    clock.now += 60.0
    assert (deadline.left(2.0), deadline.has_passed) == (0.0, True)


def test_a_request_that_does_not_say_has_the_time_of_the_service(clock: Clock) -> None:
    assert Deadline().left(1e9) == REQUEST_SECONDS == 12.0
