"""Measures queries while the wiki is reindexed: `python tests/measure/reindex_load.py FOLDER [ROUNDS]`.

A copy of the folder is indexed with the packaged model and served as users would serve it. One client asks
for headings of its pages, one after the other, first with nothing else going on, then during full runs that
embed every text anew. Printed are p50 and p95 of both in milliseconds, and their ratios.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx2

SUPPORT = Path(__file__).parents[1] / "support"
sys.path.insert(0, str(SUPPORT))

from served import PROGRAMS, TOKEN, read_headings, serving  # noqa: E402  (the folder has to be known first)

IDLE_QUERIES = 300
WARM_UP = 30


def ask(client: httpx2.Client, query: str) -> tuple[float, str]:
    """Returns the milliseconds that an answer took, and its level."""
    begun = time.perf_counter()
    answer = client.post("/v1/evidence", json={"query": query})
    milliseconds = (time.perf_counter() - begun) * 1_000
    assert answer.status_code == 200, answer.text
    return milliseconds, answer.json()["retrieval"]["level"]


def describe(name: str, answers: list[tuple[float, str]]) -> tuple[float, float]:
    times = [milliseconds for milliseconds, _ in answers]
    p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    levels = {level: sum(level == seen for _, seen in answers) for _, level in answers}
    print(f"{name:8} {len(times):5} queries   p50 {p50:7.1f} ms   p95 {p95:7.1f} ms   levels {levels}")
    return p50, p95


def ask_during_run(client: httpx2.Client, root: Path, queries: Iterator[str]) -> list[tuple[float, str]]:
    # Vectors are kept by text, so that a full run would have nothing to embed.
    for cache in (root / ".wikitrail").glob("embeddings-*"):
        shutil.rmtree(cache)
    job: dict[str, Any] = client.post("/v1/admin/reindex", json={"mode": "full"}).json()
    answers: list[tuple[float, str]] = []
    while job["finished"] is None:
        answers.append(ask(client, next(queries)))
        job = client.get(f"/v1/admin/jobs/{job['id']}").json()
    assert job["state"] == "done", job
    seconds, chunks = job["report"]["seconds"], job["report"]["chunks"]
    print(f"run of {seconds['total']:.1f} s: {chunks['embedded']} of {chunks['total']} passages embedded")
    return answers


def main() -> None:
    source, rounds = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        root = Path(shutil.copytree(source, Path(folder, "wiki")))
        subprocess.run([PROGRAMS / "wikitrail", "index", root], check=False)
        queries = cycle(read_headings(root))
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with (
            serving(root) as service,
            httpx2.Client(base_url=service.address, headers=headers, timeout=60) as client,
        ):
            for _ in range(WARM_UP):
                ask(client, next(queries))
            idle = describe("idle", [ask(client, next(queries)) for _ in range(IDLE_QUERIES)])
            busy: list[tuple[float, str]] = []
            for _ in range(rounds):
                busy += ask_during_run(client, root, queries)
            loaded = describe("reindex", busy)
    print(
        "ratio    p50 {:.2f}   p95 {:.2f}".format(
            *(late / early for early, late in zip(idle, loaded, strict=True))
        )
    )


if __name__ == "__main__":
    main()
