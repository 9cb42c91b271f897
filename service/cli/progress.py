"""Progress bars on a terminal."""

import sys
from typing import Never

from tqdm import tqdm

from indexer.progress import Phase

_UNITS: dict[Phase, str] = {"read": "page", "link": "page", "embed": "text"}


class ProgressBar:
    """Shows a bar a phase on standard error, with rate and time left; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._bar: tqdm[Never] | None = None

    def start(self, phase: Phase, total: int) -> None:
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
