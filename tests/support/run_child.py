"""The process of an index run with the fake embedder: `python run_child.py MODEL DIMENSION [GATE]`.

With GATE, the name of a file, the embedder waits at every call until that file is there. Its process number,
written to a file beside it, says that it waits.
"""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from fakes import FakeEmbedder

from retrieval.embedding.port import EmbeddingRole, Vectors
from service.jobs.child import main
from service.settings import Settings
from service.wiring import Application


class GatedEmbedder(FakeEmbedder):
    """A fake embedder that waits at a gate."""

    def __init__(self, gate: Path, *, model: str, dimension: int) -> None:
        super().__init__(model=model, dimension=dimension)
        self._gate = gate

    def embed(self, texts: Sequence[str], role: EmbeddingRole) -> Vectors:
        if not self._gate.exists():
            waiting = self._gate.with_suffix(".writing")
            waiting.write_text(str(os.getpid()))
            waiting.rename(self._gate.with_suffix(".waiting"))
        while not self._gate.exists():
            time.sleep(0.01)
        return super().embed(texts, role)


def make_application(settings: Settings) -> Application:
    """Returns the parts of the process that the command line describes."""
    model, dimension, *gate = sys.argv[1:]
    if gate:
        return Application(
            settings, embedder=GatedEmbedder(Path(gate[0]), model=model, dimension=int(dimension))
        )
    return Application(settings, embedder=FakeEmbedder(model=model, dimension=int(dimension)))


if __name__ == "__main__":
    main(make_application)
