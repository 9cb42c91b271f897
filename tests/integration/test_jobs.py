"""Index jobs of a real server: processes that run, are killed or cancelled, and queries meanwhile."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fakes import FakeEmbedder
from runs import Gate, run_command, wait_until

from indexer.history import take_back_run
from indexer.report import IndexReport
from retrieval.store import Generation, Head, IndexBusy, Retention, open_store, open_writer
from retrieval.store.head import take_lease
from retrieval.store.lease import name_holder
from service.http.app import create_app
from service.server import address_of, listen, serve_beside
from service.settings import Settings
from service.wiring import Application

TOKEN = "admin-37"
PAGES = 8
SCRIPT = Path(__file__).parents[1] / "support" / "serve_wiki.py"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with its index."""
    root = tmp_path / "wiki"
    root.mkdir()
    write_version(root, 0)
    index_here(root)
    return root


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


@pytest.fixture
def client(root: Path, gate: Gate) -> Iterator[httpx2.Client]:
    with serving(root, gate) as client:
        yield client


def settings_of(root: Path) -> Settings:
    return Settings(wikis={"default": {"root": root}}, admin_token=TOKEN)


def index_here(root: Path) -> IndexReport:
    return asyncio.run(Application(settings_of(root), embedder=FakeEmbedder()).indexer().run())


@contextmanager
def serving(root: Path, gate: Gate) -> Iterator[httpx2.Client]:
    embedder = FakeEmbedder()
    app = create_app(
        Application(settings_of(root), embedder=embedder), run_command=run_command(embedder, gate)
    )
    listener = listen("127.0.0.1", 0)
    address = address_of(listener)
    with serve_beside(app, listener), connect(address) as client:
        yield client


def connect(address: str) -> httpx2.Client:
    return httpx2.Client(base_url=address, timeout=60, headers={"Authorization": f"Bearer {TOKEN}"})


def write_version(root: Path, version: int) -> None:
    # So little is left of an older version that its passages are quoted as indexed, and marked as stale.
    words = " ".join(f"zorb{version}{letter}" for letter in "abcdefghijkl")
    for number in range(PAGES):
        text = f"# Page {number}\n\nThe zorbmark of page {number}: {words} v{version}\n"
        (root / f"page{number}.md").write_text(text)


def start(client: httpx2.Client, **body: Any) -> dict[str, Any]:
    answer = client.post("/v1/admin/reindex", json=body)
    assert answer.status_code == 202, answer.text
    return dict(answer.json())


def finish(client: httpx2.Client, job: dict[str, Any]) -> dict[str, Any]:
    address = f"/v1/admin/jobs/{job['id']}"
    wait_until(lambda: client.get(address).json()["finished"] is not None)
    return dict(client.get(address).json())


def ask(client: httpx2.Client) -> dict[str, Any]:
    answer = client.post("/v1/evidence", json={"query": "zorbmark", "k": 2 * PAGES, "mode": "lexical"})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def versions(pack: dict[str, Any]) -> set[str]:
    return {passage["text"].rpartition(" ")[2] for passage in pack["evidence"]}


def read_head(root: Path) -> Head:
    async def read() -> Head:
        store = await open_store(str(root / ".wikitrail"))
        try:
            return await store.head()
        finally:
            store.close()

    return asyncio.run(read())


async def read_newest(root: Path) -> Generation:
    store = await open_store(str(root / ".wikitrail"))
    try:
        return (await store.generations())[0]
    finally:
        store.close()


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_requests_at_once_get_one_job(client: httpx2.Client, gate: Gate, root: Path) -> None:
    write_version(root, 1)
    with ThreadPoolExecutor(8) as pool:
        jobs = list(pool.map(lambda _: start(client), range(8)))
    assert len({job["id"] for job in jobs}) == 1
    gate.open()
    assert finish(client, jobs[0])["report"]["pages"]["changed"] == PAGES
    assert len(client.get("/v1/admin/jobs").json()["jobs"]) == 1


def test_each_query_during_runs_is_answered_from_one_generation(
    client: httpx2.Client, gate: Gate, root: Path
) -> None:
    gate.open()
    packs: list[dict[str, Any]] = []
    over = threading.Event()

    def query() -> None:
        while not over.is_set():
            packs.append(ask(client))

    newest = {"v0": read_head(root).generation}
    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(query) for _ in range(2)]
        try:
            for version in (1, 2):
                write_version(root, version)
                done = finish(client, start(client, mode="full" if version == 2 else "incremental"))
                newest[f"v{version}"] = done["report"]["generation"]
        finally:
            over.set()
        for reader in readers:
            reader.result()
    for pack in packs:
        (version,) = versions(pack)
        assert len(pack["evidence"]) == PAGES
        expected = min(
            (name for name in newest if newest[name] >= pack["generation"]), key=newest.__getitem__
        )
        assert version == expected
    assert versions(ask(client)) == {"v2"}
    assert all(before < after for before, after in pairwise(newest.values()))


def test_a_run_that_is_killed_is_a_failed_job_and_nothing_else(
    client: httpx2.Client, gate: Gate, root: Path
) -> None:
    write_version(root, 1)
    job = start(client)
    os.kill(gate.wait(), signal.SIGKILL)
    failed = finish(client, job)
    assert (failed["state"], failed["report"]) == ("failed", None)
    assert failed["error"]["code"] == "run-crashed"
    assert "SIGKILL" in failed["error"]["message"]
    assert versions(ask(client)) == {"v0"}
    gate.open()
    assert finish(client, start(client))["state"] == "done"
    assert versions(ask(client)) == {"v1"}


def test_a_cancelled_run_leaves_the_old_generation_and_a_free_lease(
    client: httpx2.Client, gate: Gate, root: Path
) -> None:
    before = read_head(root)
    write_version(root, 1)
    job = start(client)
    pid = gate.wait()
    assert read_head(root).holder != ""
    cancelled = client.delete(f"/v1/admin/jobs/{job['id']}").json()
    assert (cancelled["state"], cancelled["report"], cancelled["error"]) == ("cancelled", None, None)
    assert cancelled["finished"] is not None
    assert not is_running(pid)
    after = read_head(root)
    assert (after.generation, after.commit_id, after.holder) == (before.generation, before.commit_id, "")
    assert versions(ask(client)) == {"v0"}
    assert client.delete(f"/v1/admin/jobs/{job['id']}").json() == cancelled
    gate.open()
    done = finish(client, start(client))
    assert (done["state"], versions(ask(client))) == ("done", {"v1"})
    assert client.delete(f"/v1/admin/jobs/{done['id']}").json() == done


def test_what_a_cancelled_run_has_published_is_taken_back(
    client: httpx2.Client, gate: Gate, root: Path
) -> None:
    write_version(root, 1)
    # So many new texts that the run publishes what can be searched by words before the model starts.
    (root / "long.md").write_text(
        "".join(f"# Part {number}\n\nzorblong {number}\n\n" for number in range(300))
    )
    before = read_head(root).generation
    job = start(client)
    gate.wait()
    assert (read_head(root).generation, versions(ask(client))) == (before + 1, {"v1"})
    client.delete(f"/v1/admin/jobs/{job['id']}")
    assert (read_head(root).generation, versions(ask(client))) == (before + 2, {"v0"})


def test_a_long_run_that_is_cancelled_is_taken_back_whatever_the_retention(
    client: httpx2.Client, gate: Gate, root: Path
) -> None:
    before = read_head(root).generation
    base = asyncio.run(read_newest(root))

    async def run_for_long() -> int:
        """Publishes more generations than are kept, as a run of hours does."""
        store = await open_store(str(root / ".wikitrail"))
        async with open_writer(
            store, retention=Retention(keep_generations=1, keep_for=0), clock=time.time
        ) as writer:
            for _ in range(12):
                await writer.delete("issues", "true")
                await writer.commit(
                    build=base.build, space=base.space, counts=base.counts, assets="", keeping=base
                )
            number = (await store.generations())[0].number
        store.close()
        return number

    assert asyncio.run(run_for_long()) == before + 12
    answer = client.post(f"/v1/admin/generations/{before}/activate")
    assert answer.status_code == 200, answer.text
    assert versions(ask(client)) == {"v0"}


@pytest.mark.parametrize("pid", [1, os.getpid()])
def test_only_the_run_of_the_process_that_was_killed_is_taken_back(root: Path, pid: int) -> None:
    before = read_head(root)
    uri = str(root / ".wikitrail")

    async def take_back() -> Head:
        store = await open_store(uri)
        holder = name_holder().replace(f"|{os.getpid()}|", "|1|")
        assert await take_lease(store.head_table, before, holder=holder, expires=time.time() + 5)
        store.close()
        with suppress(IndexBusy):
            await take_back_run(uri, before, pid=pid, retention=Retention())
        store = await open_store(uri)
        head = await store.head()
        store.close()
        return head

    assert (asyncio.run(take_back()).holder == "") == (pid == 1)


def test_a_client_that_goes_away_leaves_the_job_alone(client: httpx2.Client, gate: Gate, root: Path) -> None:
    write_version(root, 1)
    job = start(client)
    gate.wait()
    with client.stream("GET", f"/v1/admin/jobs/{job['id']}/events") as stream:
        assert next(stream.iter_lines()) == "event: progress"
    gate.open()
    assert finish(client, job)["state"] == "done"


def test_stopping_the_service_ends_the_run_and_tells_who_follows(root: Path, gate: Gate) -> None:
    write_version(root, 1)
    lines: list[str] = []
    with serving(root, gate) as client:
        job = start(client)
        pid = gate.wait()
        first = threading.Event()

        def follow() -> None:
            with (
                connect(str(client.base_url)) as other,
                other.stream("GET", f"/v1/admin/jobs/{job['id']}/events") as stream,
            ):
                for line in stream.iter_lines():
                    lines.append(line)
                    first.set()

        follower = threading.Thread(target=follow)
        follower.start()
        assert first.wait(60)
    follower.join()
    assert not is_running(pid)
    assert [line for line in lines if line.startswith("event")][-1] == "event: end"
    assert read_head(root).holder == ""


def test_a_run_does_not_outlive_a_service_that_is_killed(root: Path, gate: Gate, tmp_path: Path) -> None:
    write_version(root, 1)
    command = [sys.executable, str(SCRIPT), str(root), TOKEN, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None
        with connect(service.stdout.readline().strip()) as client:
            start(client)
            pid = gate.wait()
            service.kill()
    wait_until(lambda: not is_running(pid))
    assert index_here(root).pages.changed == PAGES


def test_a_child_has_no_token_and_less_priority(client: httpx2.Client, gate: Gate, root: Path) -> None:
    write_version(root, 1)
    job = start(client)
    pid = gate.wait()
    assert TOKEN.encode() not in Path(f"/proc/{pid}/cmdline").read_bytes()
    assert os.getpriority(os.PRIO_PROCESS, pid) > os.getpriority(os.PRIO_PROCESS, 0)
    gate.open()
    finish(client, job)
