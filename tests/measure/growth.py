"""Measures how an index grows by edits: `python tests/measure/growth.py [--edits N]`.

A wiki of 50 pages is edited again and again, each time in one page, and indexed after each edit with a fake
embedder. Printed are the files and bytes of the index after every twentieth edit with `keep_for` 0, and with
the default settings, as if a minute passed between two edits and as if none did: then nothing is cleaned up,
for it was replaced less than ten minutes ago. Below stands a new index of the same wiki.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

SUPPORT = Path(__file__).parents[1] / "support"
sys.path.insert(0, str(SUPPORT))

from workbench import Workbench  # noqa: E402  (its folder has to be known first)

from indexer.options import IndexOptions  # noqa: E402  (as above)
from indexer.run import Indexer  # noqa: E402  (as above)
from retrieval.store import Retention  # noqa: E402  (as above)

PAGES = 50
STEP = 20
MINUTE = 60.0
PAUSE = 0.2  # faster than anybody edits; without any, the margins of the cleanup keep more


def measure(folder: str) -> tuple[int, int]:
    """Returns the files of a folder and their bytes."""
    sizes = [path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()]
    return len(sizes), sum(sizes)


async def grow(folder: Path, edits: int, retention: Retention, tick: float) -> None:
    bench = Workbench(folder)
    for number in range(PAGES):
        bench.write(f"p{number}.md", f"# Page {number}\n\nbody {number} [[p{number - 1}]]\n")
    passed = 0.0

    def clock() -> float:
        return time.time() + passed

    options = IndexOptions(root=bench.root, uri=bench.uri, retention=retention)
    for edit in range(edits + 1):
        bench.write("edited.md", f"# Edited\n\nedit {edit}\n")
        indexer = Indexer(options, embedder=bench.embedder, counter=bench.embedder.counter, clock=clock)
        await indexer.run()
        await asyncio.sleep(PAUSE)
        passed += tick
        if edit % STEP == 0:
            files, size = measure(bench.uri)
            print(f"{edit:6} edits  {files:5} files  {size / 1e6:7.2f} MB")
    await bench.fresh_rows()
    files, size = measure(bench.uri + "-fresh")
    print(f"new index     {files:5} files  {size / 1e6:7.2f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=200)
    edits = parser.parse_args().edits
    for name, retention, tick in (
        ("keep_for 0", Retention(keep_for=0), 0.0),
        ("default settings, a minute between edits", Retention(), MINUTE),
        ("default settings, no time between edits", Retention(), 0.0),
    ):
        print(name)
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(grow(Path(folder), edits, retention, tick))


if __name__ == "__main__":
    main()
