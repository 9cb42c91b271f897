"""Indexes a folder in a process of its own: `python index_once.py FOLDER LOG [full]`.

Prints "ready" when all is imported and waits for a line before it starts. Each text that the embedder has
finished is added to LOG, so that a parent that kills this process knows what was embedded.
"""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from fakes import FakeEmbedder
from workbench import Workbench

from retrieval.embedding.port import EmbeddingRole, Vectors

SECONDS_A_BATCH = 0.02


class LoggingEmbedder(FakeEmbedder):
    """A fake embedder that takes its time and writes down what it has embedded."""

    def __init__(self, log: Path, *, window: int) -> None:
        super().__init__(window=window)
        self.slow_seconds = SECONDS_A_BATCH
        self._log = log

    def embed(self, texts: Sequence[str], role: EmbeddingRole) -> Vectors:
        vectors = super().embed(texts, role)
        with self._log.open("a") as log:
            log.writelines(f"{role} {text!r}\n" for text in texts)
        return vectors


def main() -> None:
    folder, log, *mode = sys.argv[1:]
    bench = Workbench(Path(folder))
    bench.embedder = LoggingEmbedder(Path(log), window=64)
    print("ready", flush=True)
    sys.stdin.readline()
    report = asyncio.run(bench.run("full" if mode else "incremental"))
    print(report.status, flush=True)


if __name__ == "__main__":
    main()
