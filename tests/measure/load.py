"""Puts a service under load while its index changes: `python tests/measure/load.py FOLDER`.

A copy of the folder is indexed with the packaged model and served as users would serve it. 50 clients ask for
headings of its pages, one query after the other, for 60 s; a client that is refused waits as long as it is
told to. Meanwhile one run of the index follows on the other, each after an edit that writes its number into
the same sentence of several pages. One query in four asks for that sentence, of a second wiki with the same
index: it has no files, so that nothing of its answers is repaired. Printed are the answers by status, the
answered queries a second with p50, p95 and p99, and the memory of the process over time.

It fails where anything came but 200, 429 and 503, where a run failed, or where a generation quotes two runs.
"""

import argparse
import asyncio
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import httpx2

SUPPORT = Path(__file__).parents[1] / "support"
sys.path.insert(0, str(SUPPORT))

from served import PROGRAMS, TOKEN, Served, read_headings, serving  # noqa: E402  (the folder has to be known first)

MARKED_PAGES = 8
MARK = re.compile(r"zorbmark is at run (\d+)\.")
EXPECTED = {200, 429, 503}
EVERY = 4
"""One query in so many asks for the mark."""


@dataclass(slots=True)
class Record:
    """What was seen."""

    statuses: Counter[int] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    levels: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    refused_seconds: list[float] = field(default_factory=list)
    marked_packs: int = 0
    marks: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    runs: Counter[str] = field(default_factory=Counter)
    memory: list[int] = field(default_factory=list)

    def note(self, answer: httpx2.Response, seconds: float) -> None:
        """Notes an answer to a query."""
        self.statuses[answer.status_code] += 1
        if answer.status_code != 200:
            self.refused_seconds.append(seconds)
            self.codes[answer.json()["code"]] += 1
            return
        self.seconds.append(seconds)
        pack = answer.json()
        self.levels[pack["retrieval"]["level"]] += 1
        if pack["wiki"] == "replica":
            texts = [entry["text"] for entry in pack["evidence"]]
            self.marked_packs += 1
            self.marks[pack["generation"]] |= {int(mark) for text in texts for mark in MARK.findall(text)}


def write_mark(root: Path, run: int) -> None:
    """Writes the number of a run into every marked page."""
    for number in range(MARKED_PAGES):
        text = f"# Marked {number}\n\nOn page {number} the zorbmark is at run {run}.\n"
        (root / f"marked-{number}.md").write_text(text, encoding="utf-8")


def read_memory(pid: int) -> int:
    """Returns the MB of memory that a process has at present."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) // 1_024


async def ask(address: str, queries: list[str], record: Record, until: float) -> None:
    """Asks one query after the other, as one client."""
    async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
        number = 0
        while time.monotonic() < until:
            number += 1
            is_marked = number % EVERY == 0
            query = (
                {"query": "zorbmark", "wiki": "replica"}
                if is_marked
                else {"query": queries[number % len(queries)]}
            )
            begun = time.monotonic()
            answer = await client.post("/v1/evidence", json=query)
            record.note(answer, time.monotonic() - begun)
            if answer.status_code != 200:
                await asyncio.sleep(float(answer.headers.get("retry-after", 1)))


async def reindex(service: Served, root: Path, record: Record, until: float) -> None:
    """Edits the marked pages and has them indexed, over and over."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(base_url=service.address, headers=headers, timeout=60) as client:
        run = 0
        while time.monotonic() < until:
            run += 1
            write_mark(root, run)
            job: dict[str, Any] = (await client.post("/v1/admin/reindex")).json()
            while job["finished"] is None:
                await asyncio.sleep(0.2)
                job = (await client.get(f"/v1/admin/jobs/{job['id']}")).json()
            record.runs[job["state"]] += 1


async def watch(service: Served, record: Record, until: float) -> None:
    """Reads the memory of the service, and asks whether it is alive, every second."""
    async with httpx2.AsyncClient(base_url=service.address, timeout=5) as client:
        while time.monotonic() < until:
            assert (await client.get("/healthz")).status_code == 200
            record.memory.append(read_memory(service.pid))
            await asyncio.sleep(1)


async def put_under_load(service: Served, root: Path, clients: int, seconds: float) -> Record:
    record, queries, until = Record(), read_headings(root), time.monotonic() + seconds
    shares = [queries[number:] + queries[:number] for number in range(0, clients * 7, 7)]
    await asyncio.gather(
        *(ask(service.address, share, record, until) for share in shares),
        reindex(service, root, record, until),
        watch(service, record, until),
    )
    return record


async def warm_up(service: Served, queries: list[str]) -> None:
    """Asks until the model is there."""
    async with httpx2.AsyncClient(base_url=service.address, timeout=60) as client:
        for query in islice(queries, 30):
            await client.post("/v1/evidence", json={"query": query})


def describe(record: Record, clients: int, seconds: float) -> None:
    p50, p95, p99 = (statistics.quantiles(record.seconds, n=100)[part - 1] for part in (50, 95, 99))
    answered, refused = len(record.seconds), len(record.refused_seconds)
    print(f"{clients} clients, {seconds:.0f} s, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"statuses {dict(record.statuses)}   codes {dict(record.codes)}   levels {dict(record.levels)}")
    print(
        f"answered {answered} ({answered / seconds:.1f}/s)   p50 {p50:.2f}   p95 {p95:.2f}   p99 {p99:.2f} s"
    )
    if refused:
        print(f"refused  {refused}   after {statistics.median(record.refused_seconds):.2f} s (p50)")
    step = max(1, len(record.memory) // 6)
    memory = [max(record.memory[at : at + step]) for at in range(0, len(record.memory), step)]
    print(f"memory   {' '.join(map(str, memory))} MB")
    print(f"runs     {dict(record.runs)}")
    print(f"marked   {record.marked_packs} packs, of {len(record.marks)} generations")


def find_faults(record: Record) -> list[str]:
    marks = record.marks.items()
    faults = [f"generation {number} quotes runs {sorted(runs)}" for number, runs in marks if len(runs) > 1]
    faults += [f"generation {number} quotes no run" for number, runs in marks if not runs]
    faults += [f"status {status}" for status in record.statuses if status not in EXPECTED]
    faults += [f"a run ended as {state}" for state in record.runs if state != "done"]
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(shutil.copytree(arguments.folder, Path(folder, "wiki")))
        write_mark(root, 0)
        subprocess.run([PROGRAMS / "wikitrail", "index", root], check=False)
        wikis = {
            "WIKITRAIL_WIKIS__default__ROOT": str(root),
            "WIKITRAIL_WIKIS__replica__INDEX": str(root / ".wikitrail"),
        }
        with serving(None, **wikis) as service:
            asyncio.run(warm_up(service, read_headings(root)))
            record = asyncio.run(put_under_load(service, root, arguments.clients, arguments.seconds))
    describe(record, arguments.clients, arguments.seconds)
    faults = find_faults(record)
    print("\n".join(faults) or "no faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
