"""Index runs in processes of their own, as tests start, hold and await them."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from fakes import FakeEmbedder

_SCRIPT = Path(__file__).with_name("run_child.py")
_PATIENCE = 60.0


def run_command(embedder: FakeEmbedder, gate: "Gate | None" = None) -> list[str]:
    """Returns the command of a child that embeds as `embedder` does, held up at `gate` if there is one."""
    space = embedder.space
    held = [] if gate is None else [str(gate.file)]
    return [sys.executable, str(_SCRIPT), space.model, str(space.dimension), *held]


class Gate:
    """Holds a run up at its first text until it is opened. A folder takes one gate."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "gate.open"
        self._waiting = folder / "gate.waiting"

    def wait(self) -> int:
        """Waits until a run stands before the gate; returns the number of its process."""
        wait_until(self._waiting.exists)
        pid = int(self._waiting.read_text())
        self._waiting.unlink()
        return pid

    def open(self) -> None:
        """Lets every run through."""
        self.file.touch()

    def close(self) -> None:
        """Holds the next run up."""
        self.file.unlink()


def wait_until(condition: Callable[[], bool]) -> None:
    """Waits for something that has to come true; a test whose wait is in vain fails."""
    end = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
