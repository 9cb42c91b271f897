"""A run that is killed: the old generation answers, and the next run finishes the work."""

import asyncio
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench import Workbench

from indexer.embedding import BATCH

ROUNDS = 20
PAGES = 30
PARTS = 10
SCRIPT = Path(__file__).parents[1] / "support" / "index_once.py"


def page(number: int, salt: str) -> str:
    sections = "\n".join(
        f"## Part {part}\n\nSection {part} of page {number} says {salt}.\n" for part in range(PARTS)
    )
    return f"# Page {number}\n\nSee [[page{(number + 1) % PAGES}]].\n\n{sections}"


@contextmanager
def running(bench: Workbench, log: Path, *mode: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, str(SCRIPT), str(bench.root.parent), str(log), *mode]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "ready\n"
        process.stdin.write("go\n")
        process.stdin.flush()
        yield process


def read_log(log: Path) -> set[str]:
    return set(log.read_text().split("\n")) - {""} if log.exists() else set()


def test_a_killed_run_loses_nothing_and_the_next_one_completes(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {f"page{number}.md": page(number, "zorbstart") for number in range(PAGES)})
    bench.write("steady.md", "# Steady\n\nzorbsteady\n")
    asyncio.run(bench.run())
    whole = _seconds_of_a_run(bench, tmp_path / "whole.log")
    moments = random.Random(20)
    killed = number = 0
    while killed < ROUNDS:
        number += 1
        assert number < 3 * ROUNDS, "most runs end before they are killed"
        salt = f"zorb{number}"
        for changed in range(PAGES):
            bench.write(f"page{changed}.md", page(changed, salt))
        log = tmp_path / f"{number}.log"
        with running(bench, log, *(["full"] if number % 4 == 3 else [])) as process:
            time.sleep(moments.uniform(0.0, 0.8 * whole))
            process.kill()
            process.wait()
            killed += process.stdout is not None and process.stdout.read() == ""
        assert asyncio.run(bench.found("zorbsteady")) == {"steady.md"}
        done = read_log(log)
        report = asyncio.run(bench.run())
        assert report.status == "ok"
        again = done & {f"{role} {text!r}" for role, text in bench.embedder.embedded}
        assert len(again) <= BATCH
        rows = asyncio.run(bench.rows())
        assert sum(f" {salt}." in row for row in rows["chunks"]) == PAGES * PARTS
        assert rows == asyncio.run(bench.fresh_rows())


def _seconds_of_a_run(bench: Workbench, log: Path) -> float:
    for changed in range(PAGES):
        bench.write(f"page{changed}.md", page(changed, "zorbwhole"))
    begun = time.perf_counter()
    with running(bench, log) as process:
        begun = time.perf_counter()
        assert process.stdout is not None
        assert process.stdout.readline() == "ok\n"
    return time.perf_counter() - begun
