"""Works on an index in a process of its own: `python index_child.py FOLDER LOG [LEASE-SECONDS]`.

Prints "ready" when all is imported and waits for a line that says what to do, and "tokens" after it where the
index is to keep those of passages. Prints "settling" when a run has nothing to do but to commit and clean up,
and "done" at the end. Each text that the embedder has finished is added to LOG, so that a parent that kills
this process knows what was embedded.
"""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from fakes import FakeEmbedder
from workbench import Workbench

from indexer.history import activate_generation, list_generations
from indexer.options import IndexOptions
from indexer.progress import Phase, Silence
from indexer.purge import purge_index
from indexer.run import Indexer
from retrieval.embedding.port import EmbeddingRole, Vectors
from retrieval.store import LEASE_SECONDS, Retention

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


class Announcer(Silence):
    """Tells when all vectors are made."""

    def __init__(self, *, tables: int) -> None:
        self._tables = tables
        self._filled = 0
        self._phase: Phase = "read"

    def start(self, phase: Phase, total: int) -> None:
        self._phase = phase

    def finish(self) -> None:
        self._filled += self._phase == "embed"
        if self._filled == self._tables:
            print("settling", flush=True)


async def work(bench: Workbench, kind: str, lease_seconds: float, *, tokens: bool) -> None:
    """Does what is to be killed."""
    if kind == "purge":
        await purge_index(bench.uri)
    elif kind == "activate":
        kept = await list_generations(bench.uri, retention=bench.retention)
        await activate_generation(bench.uri, kept[-1].number, retention=bench.retention)
    else:
        # A cleanup finds most to do where nothing but the newest generation is kept.
        keep = Retention(keep_generations=1, keep_for=0) if kind == "cleanup" else bench.retention
        options = IndexOptions(
            root=bench.root,
            uri=bench.uri,
            retention=keep,
            lease_seconds=lease_seconds,
            token_vectors=tokens,
        )
        indexer = Indexer(
            options,
            embedder=bench.embedder,
            counter=bench.embedder.counter,
            progress=Announcer(tables=3 if tokens else 2),
        )
        await indexer.run("full" if kind == "full" else "incremental")


def main() -> None:
    folder, log, *lease = sys.argv[1:]
    bench = Workbench(Path(folder))
    bench.embedder = LoggingEmbedder(Path(log), window=64)
    print("ready", flush=True)
    kind, *tokens = sys.stdin.readline().split()
    asyncio.run(work(bench, kind, float(lease[0]) if lease else LEASE_SECONDS, tokens=bool(tokens)))
    print("done", flush=True)


if __name__ == "__main__":
    main()
