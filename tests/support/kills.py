"""Killing what works on an index at random moments, and looking at what is left."""

import asyncio
import random
import subprocess
import sys
import threading
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from workbench import Workbench

from indexer.embedding import BATCH
from indexer.report import IndexReport
from retrieval.reader import IndexReader
from retrieval.store import Retention, Snapshot

Kind = Literal["index", "full", "activate", "purge", "cleanup"]
"""What is killed: a run, a rebuild, going back to an old generation, a purge, the end of a cleaning run."""

KINDS: tuple[Kind, ...] = get_args(Kind)
CHECKS = (
    "a reader that went on all the time saw one version of the wiki in each answer, and all of it",
    "afterwards the old or the new version answers, whole, and a page that nobody touched is found",
    "the next run ends well, and its index has the rows of a new one",
    f"at most {BATCH} texts were embedded again",
)

_PAGES = 30
_PARTS = 10
_EDITS_BEFORE_A_CLEANUP = 4
_SCRIPT = Path(__file__).with_name("index_child.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One kill: whether the process still worked, which version answered then, and what the next run made.

    `reads` counts what the reader saw meanwhile, `again` texts embedded a second time, `files` those of the
    index after the next run.
    """

    kind: Kind
    hit: bool
    answered: Literal["old", "new"]
    reads: int
    again: int
    files: int


class KillBench:
    """A wiki whose pages all say one version, and an index that is worked on by processes that are killed."""

    def __init__(self, folder: Path, *, seed: int, tokens: bool = False) -> None:
        self._tokens = tokens
        self._folder = folder
        self._random = random.Random(seed)
        self._version = 0
        self._bench = Workbench(folder)
        self._bench.write("steady.md", "# Steady\n\nzorbsteady\n")
        self._write_pages()
        self._run()
        self._waiting = _Child(folder)
        self._seconds = {kind: self._measure(kind) for kind in KINDS}

    def close(self) -> None:
        """Ends the process that waits for work."""
        self._waiting.end()

    def kill(self, kind: Kind) -> Round:
        """Kills a process at a random moment of its work.

        Raises:
            AssertionError: Something that `CHECKS` promises does not hold.
        """
        self._prepare(kind)
        child = self._take_child()
        with _Reader(self._bench.uri) as reader:
            child.begin(kind, tokens=self._tokens)
            time.sleep(self._random.uniform(0.0, 0.9 * self._seconds[kind]))
            hit = child.end()
        answered = self._check_answers(reader.versions)
        again = self._check_next_run(child.read_log())
        files = sum(path.is_file() for path in Path(self._bench.uri).rglob("*"))
        return Round(
            kind=kind, hit=hit, answered=answered, reads=len(reader.versions), again=again, files=files
        )

    def _prepare(self, kind: Kind) -> None:
        """Gives the process something to do, and every version another word."""
        if kind == "cleanup":
            for edit in range(_EDITS_BEFORE_A_CLEANUP):
                self._bench.write("edited.md", f"# Edited\n\nedit {self._version} {edit}\n")
                self._run(retention=Retention(keep_generations=9))
        if kind not in ("activate", "purge"):
            self._write_pages()

    def _write_pages(self) -> None:
        self._version += 1
        for number in range(_PAGES):
            self._bench.write(f"page{number}.md", _page(number, self._version))

    def _measure(self, kind: Kind) -> float:
        self._prepare(kind)
        child = self._take_child()
        child.begin(kind, tokens=self._tokens)
        begun = time.perf_counter()
        child.wait_for("done")
        seconds = time.perf_counter() - begun
        child.end()
        self._run()
        return seconds

    def _run(self, **options: Any) -> IndexReport:
        return asyncio.run(self._bench.run(token_vectors=self._tokens, **options))

    def _take_child(self) -> "_Child":
        """Returns the process that waits for work; another one begins to import what it needs."""
        child = self._waiting
        child.wait_for("ready")
        self._waiting = _Child(self._folder)
        return child

    def _check_answers(self, seen: list[int]) -> Literal["old", "new"]:
        version = asyncio.run(_read_version(self._bench.uri))
        assert set(seen) <= {self._version, self._version - 1}
        assert version in (self._version, self._version - 1)
        assert asyncio.run(self._bench.found("zorbsteady")) == {"steady.md"}
        return "new" if version == self._version else "old"

    def _check_next_run(self, embedded: set[str]) -> int:
        report = self._run()
        assert report.status == "ok"
        again = embedded & {f"{role} {text!r}" for role, text in self._bench.embedder.embedded}
        assert len(again) <= BATCH
        assert asyncio.run(_read_version(self._bench.uri)) == self._version
        fresh = asyncio.run(self._bench.fresh_rows(token_vectors=self._tokens))
        assert asyncio.run(self._bench.rows()) == fresh
        return len(again)


class _Child:
    """A process that works on the index once."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / f"embedded-{uuid.uuid4().hex}.log"
        self._process = subprocess.Popen(
            [sys.executable, str(_SCRIPT), str(folder), str(self._log)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def begin(self, kind: Kind, *, tokens: bool) -> None:
        """Lets it begin; what is to be killed of a cleanup begins when the rest of the run is done."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{kind} {'tokens' if tokens else ''}\n")
        self._process.stdin.flush()
        if kind == "cleanup":
            self.wait_for("settling")

    def wait_for(self, word: str) -> None:
        """Waits until it says this."""
        assert self._process.stdout is not None
        while (line := self._process.stdout.readline()) != f"{word}\n":
            assert line, "the work failed"

    def end(self) -> bool:
        """Kills it and says whether it was still at work."""
        self._process.kill()
        with self._process as process:
            assert process.stdout is not None
            return "done" not in process.stdout.read()

    def read_log(self) -> set[str]:
        """Returns what it embedded."""
        lines = self._log.read_text() if self._log.exists() else ""
        return set(lines.split("\n")) - {""}


class _Reader:
    """Reads the version of the wiki from the index again and again, from a thread of its own."""

    def __init__(self, uri: str) -> None:
        self.versions: list[int] = []
        self._uri = uri
        self._over = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "_Reader":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            asyncio.run(self._read())
        except BaseException as error:  # it is raised again where the reader ends
            self._failure = error

    async def _read(self) -> None:
        reader = IndexReader(self._uri)
        try:
            while not self._over.is_set():
                self.versions.append(await reader.read(_find_version))
                await asyncio.sleep(0.01)
        finally:
            reader.close()


async def _read_version(uri: str) -> int:
    reader = IndexReader(uri)
    try:
        return await reader.read(_find_version)
    finally:
        reader.close()


async def _find_version(snapshot: Snapshot) -> int:
    """Returns the version that the pages say, all of them and all of their chunks."""
    texts = (await snapshot.rows("chunks", columns=["text"]))["text"].to_pylist()
    said = [text.rpartition(" v")[2] for text in texts if " v" in text]
    assert len(said) == _PAGES * _PARTS, f"{len(said)} of {_PAGES * _PARTS} chunks"
    (version,) = set(said)
    return int(version.strip().rstrip("."))


def _page(number: int, version: int) -> str:
    sections = "\n".join(
        f"## Part {part}\n\nSection {part} of page {number} says v{version}.\n" for part in range(_PARTS)
    )
    return f"# Page {number}\n\nSee [[page{(number + 1) % _PAGES}]].\n\n{sections}"
