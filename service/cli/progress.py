"""Progress bars on a terminal."""

import sys
from typing import Never

from tqdm import tqdm

from indexer import progress as indexing
from service.tuning import progress as tuning

_UNITS: dict[indexing.Phase | tuning.Phase, str] = {
    "read": "page",
    "link": "page",
    "embed": "text",
    "try": "label",
    "fit": "step",
}


class ProgressBar:
    """Shows a bar a phase on standard error, with rate and time left; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._bar: tqdm[Never] | None = None

    def start(self, phase: indexing.Phase | tuning.Phase, total: int) -> None:
        """Begins a bar."""
        # None: tqdm asks whether the file is a terminal.
        self._bar = tqdm(
            total=total, desc=phase, unit=_UNITS[phase], file=sys.stderr, disable=None, leave=False
        )

    def advance(self, count: int) -> None:
        """Moves the bar."""
        if self._bar is not None:
            self._bar.update(count)

    def finish(self) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
