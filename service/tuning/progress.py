"""Telling whoever waits how far a tuning is."""

from typing import Literal, Protocol

Phase = Literal["embed", "try", "fit"]


class Progress(Protocol):
    """Hears of the phases of a tuning, some of which come more than once; every call is cheap."""

    def start(self, phase: Phase, total: int) -> None:
        """A phase of `total` texts (embed), labels (try) or steps (fit) begins."""

    def advance(self, count: int) -> None:
        """So many more are done."""

    def finish(self) -> None:
        """The phase is over."""
