"""Telling whoever waits how far a run is."""

from typing import Literal, Protocol

Phase = Literal["read", "link", "embed"]


class Progress(Protocol):
    """Hears of a run's phases in order; every call is cheap."""

    def start(self, phase: Phase, total: int) -> None:
        """A phase of `total` pages (read, link) or texts (embed) begins."""

    def advance(self, count: int) -> None:
        """So many more are done."""

    def finish(self) -> None:
        """The phase is over."""


class Silence:
    """A listener that says nothing."""

    def start(self, phase: Phase, total: int) -> None:
        """Ignores the start of a phase."""

    def advance(self, count: int) -> None:
        """Ignores a step."""

    def finish(self) -> None:
        """Ignores the end of a phase."""
