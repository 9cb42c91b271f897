"""Where the time of an index run or of a query goes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Adds up the seconds of named phases, which may lie within or beside one another."""

    def __init__(self) -> None:
        self._begun = time.perf_counter()
        self._phases: dict[str, float] = {}

    @contextmanager
    def measure(self, phase: str) -> Iterator[None]:
        """Counts the block's time towards a phase."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self._phases[phase] = self._phases.get(phase, 0.0) + time.perf_counter() - begun

    def seconds(self) -> dict[str, float]:
        """Returns the seconds of each phase, and of all since the stopwatch was made as `total`."""
        phases = self._phases | {"total": time.perf_counter() - self._begun}
        return {phase: round(seconds, 5) for phase, seconds in phases.items()}
