"""What an index does when its files, its disk or its writer fail."""

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import lancedb
import pytest
from fakes import FakeEmbedder
from runs import wait_until
from workbench import Workbench

from indexer.errors import RootEmpty
from indexer.options import RunMode
from indexer.purge import purge_index
from retrieval.embedding.port import EmbeddingRole, Vectors
from retrieval.reader import IndexReader
from retrieval.schema import SCHEMA_VERSION
from retrieval.store import (
    DiskFull,
    IndexDamaged,
    IndexFormatUnknown,
    IndexMissing,
    IndexOutdated,
    IndexTooNew,
    Snapshot,
)

SUPPORT = Path(__file__).parents[1] / "support"
NOBODY = 65_534
ENDINGS = {"_versions": "manifest", "data": "lance"}
WIKI = {
    "steady.md": "# Steady\n\nzorbsteady [[other]]\n",
    "other.md": "# Other\n\nzorbother\n\n## More\n\nof it\n",
}


class InterruptedEmbedder(FakeEmbedder):
    """A fake embedder; before it embeds something else happens."""

    def __init__(self, happen: Callable[[], None]) -> None:
        super().__init__(window=64)
        self._happen = happen

    def embed(self, texts: Sequence[str], role: EmbeddingRole) -> Vectors:
        self._happen()
        return super().embed(texts, role)


def files_of(bench: Workbench, table: str, folder: str) -> list[Path]:
    """Returns the files in a folder of a table, the newest first."""
    found = Path(bench.uri).glob(f"{table}*.lance/{folder}/*.{ENDINGS[folder]}")
    return sorted(found, key=lambda file: file.stat().st_mtime_ns, reverse=True)


def empty(file: Path) -> None:
    file.write_bytes(b"")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def garble(file: Path) -> None:
    file.write_bytes(random.Random(0).randbytes(file.stat().st_size))


async def read_all(bench: Workbench) -> None:
    reader = IndexReader(bench.uri)

    async def read(snapshot: Snapshot) -> None:
        for table in snapshot.generation.tables:
            await snapshot.rows(table, columns=["term"] if table == "terms" else ["path"])

    try:
        await reader.read(read)
    finally:
        reader.close()


@pytest.mark.parametrize("harm", [garble, Path.unlink])
@pytest.mark.parametrize(
    ("table", "folder"),
    [
        ("head", "data"),
        ("generations", "data"),
        ("pages", "_versions"),
        ("pages", "data"),
        ("links", "data"),
        ("chunk_vectors", "_versions"),
        ("embeddings", "data"),
    ],
)
@pytest.mark.anyio
async def test_a_damaged_file_is_named_as_damage_and_a_full_run_heals_it(
    tmp_path: Path, table: str, folder: str, harm: Callable[[Path], None]
) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    for file in files_of(bench, table, folder)[: 1 if folder == "_versions" else None]:
        harm(file)
    # Vectors kept by text belong to no generation: the run makes them again without a word.
    with nullcontext() if table == "embeddings" else pytest.raises(IndexDamaged, match="--full"):
        await read_all(bench)
        bench.write("steady.md", WIKI["steady.md"] + "\nzorbnew\n")
        await bench.run()
    report = await bench.run("full")
    assert report.pages.total == len(WIKI)
    assert await bench.rows() == await bench.fresh_rows()


@pytest.mark.parametrize("harm", [empty, cut])
@pytest.mark.parametrize("table", ["head", "pages"])
@pytest.mark.anyio
async def test_a_file_that_was_not_written_to_its_end_is_damage(
    tmp_path: Path, table: str, harm: Callable[[Path], None]
) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    harm(files_of(bench, table, "_versions")[0])
    with pytest.raises(IndexDamaged):
        await read_all(bench)
    await bench.run("full")
    assert await bench.rows() == await bench.fresh_rows()


@pytest.mark.parametrize("mode", ["incremental", "full"])
@pytest.mark.anyio
async def test_what_is_no_folder_is_no_index_and_is_left_alone(tmp_path: Path, mode: RunMode) -> None:
    bench = Workbench(tmp_path, WIKI)
    Path(bench.uri).write_text("something else")
    with pytest.raises(IndexFormatUnknown, match="another place"):
        await bench.run(mode)
    assert Path(bench.uri).read_text() == "something else"
    Path(bench.uri).unlink()
    Path(bench.uri).symlink_to(tmp_path / "nowhere")
    with pytest.raises(IndexFormatUnknown, match="another place"):
        await bench.run(mode)


@pytest.mark.anyio
async def test_a_table_head_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    database = await lancedb.connect_async(bench.uri)
    for name in ("head", "generations"):
        await database.create_table(name, [{"colour": "red"}])
    for mode in ("incremental", "full"):
        with pytest.raises(IndexFormatUnknown, match="another place"):
            await bench.run(mode)
    assert await (await database.open_table("head")).count_rows() == 1


@pytest.mark.parametrize("name", ["chunks-*", "generations.*"])
@pytest.mark.anyio
async def test_a_missing_table_is_damage(tmp_path: Path, name: str) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    (table,) = Path(bench.uri).glob(name)
    shutil.rmtree(table)
    with pytest.raises(IndexDamaged):
        await bench.search("zorbsteady")
    with pytest.raises(IndexDamaged):
        await bench.run()
    await bench.run("full")
    assert await bench.found("zorbsteady") == {"steady.md"}


@pytest.mark.anyio
async def test_an_index_that_is_removed_and_made_anew_is_noticed(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    reader = IndexReader(bench.uri)

    async def texts(snapshot: Snapshot) -> list[str]:
        return sorted((await snapshot.rows("pages", columns=["text"]))["text"].to_pylist())

    await bench.run()
    assert await reader.read(texts) == sorted(WIKI.values())
    for edits in range(4):
        shutil.rmtree(bench.uri)
        if edits % 2:
            with pytest.raises(IndexMissing):
                await reader.read(texts)
            assert not Path(bench.uri).exists()
        for edit in range(edits + 1):
            bench.write("other.md", f"# Other\n\nof index {edits} and edit {edit}\n")
            await bench.run()
        assert await reader.read(texts) == sorted([WIKI["steady.md"], (bench.root / "other.md").read_text()])
    reader.close()


@pytest.mark.anyio
async def test_an_index_removed_while_a_run_writes_it_is_said_to_be(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    bench.write("new.md", "# New\n")
    bench.embedder = InterruptedEmbedder(lambda: shutil.rmtree(bench.uri, ignore_errors=True))
    with pytest.raises(IndexMissing, match="removed"):
        await bench.run()
    bench.embedder = FakeEmbedder(window=64)
    assert (await bench.run()).pages.total == 3
    assert await bench.rows() == await bench.fresh_rows()


async def set_version(bench: Workbench, change: Callable[[dict[str, int]], None]) -> None:
    """Lets the index be one of another version."""
    database = await lancedb.connect_async(bench.uri)
    log = await database.open_table("generations")
    for row in (await log.query().to_arrow()).to_pylist():
        record = json.loads(row["record"])
        change(record["build"])
        await log.update({"record": json.dumps(record)}, where=f"number = {row['number']}")


@pytest.mark.anyio
async def test_an_index_of_an_older_version_is_built_anew_by_the_next_run(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    await set_version(bench, lambda build: build.update(schema=SCHEMA_VERSION - 1))
    with pytest.raises(IndexOutdated, match="wikitrail index"):
        await bench.search("zorbsteady")
    report = await bench.run()
    assert (report.generation, report.chunks.embedded) == (3, 0)
    assert await bench.rows() == await bench.fresh_rows()


@pytest.mark.parametrize("more", [{}, {"colour": 7}])
@pytest.mark.anyio
async def test_an_index_of_a_newer_version_is_left_alone_unless_it_is_rebuilt(
    tmp_path: Path, more: dict[str, int]
) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    await set_version(bench, lambda build: build.update(schema=SCHEMA_VERSION + 1, **more))
    for work in (bench.search("zorbsteady"), bench.run(), bench.indexer().preview()):
        with pytest.raises(IndexTooNew, match="upgrade"):
            await work
    await bench.run("full")
    assert await bench.rows() == await bench.fresh_rows()


@pytest.mark.anyio
async def test_an_old_version_over_an_unmounted_wiki_is_not_emptied(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    await set_version(bench, lambda build: build.update(schema=SCHEMA_VERSION - 1))
    for path in WIKI:
        bench.delete(path)
    with pytest.raises(RootEmpty, match="2 pages"):
        await bench.run()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user cannot mount a small disk")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def attempt(folder: Path, *actions: str, **limits: int) -> list[str]:
    """Returns what comes of actions in a process with these limits."""
    task = json.dumps({"actions": actions, **limits})
    command = [sys.executable, str(SUPPORT / "index_attempts.py"), str(folder), task]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def fill(disk: Path, left: int) -> None:
    """Leaves so many bytes free."""
    state = os.statvfs(disk)
    (disk / "ballast").write_bytes(bytes(max(0, state.f_bavail * state.f_frsize - left)))


@pytest.mark.parametrize("left", [0, 8_192, 32_768])
def test_on_a_full_disk_the_old_generation_answers_until_there_is_space_again(
    small_disk: Path, left: int
) -> None:
    bench = Workbench(small_disk, WIKI)
    asyncio.run(bench.run())
    bench.write("long.md", "# Long\n\n" + " ".join(f"word{number}" for number in range(9_000)))
    fill(small_disk, left)
    assert attempt(small_disk, "index") == ["disk-full"]
    assert attempt(small_disk, "search", "full") == ["ok", "disk-full"]
    assert attempt(small_disk, "search", "index") == ["ok", "disk-full"]
    (small_disk / "ballast").unlink()
    assert asyncio.run(bench.run()).status == "ok"
    assert asyncio.run(bench.rows()) == asyncio.run(bench.fresh_rows())


@pytest.mark.anyio
async def test_the_error_of_a_full_disk_says_where_and_what_to_do(small_disk: Path) -> None:
    bench = Workbench(small_disk, WIKI)
    await bench.run()
    bench.write("new.md", "# New\n")
    fill(small_disk, 0)
    with pytest.raises(DiskFull, match=rf"free some space and run again \(the index is at {bench.uri}\)"):
        await bench.run()


@pytest.mark.anyio
async def test_a_purge_on_a_full_disk_leaves_what_was_there(small_disk: Path) -> None:
    bench = Workbench(small_disk, WIKI)
    await bench.run()
    before = await bench.rows()
    fill(small_disk, 8_192)
    with pytest.raises(DiskFull):
        await purge_index(bench.uri)
    assert await bench.rows() == before
    (small_disk / "ballast").unlink()
    await purge_index(bench.uri)
    assert await bench.rows() == before


def test_a_limit_on_the_size_of_files_is_a_full_disk(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    asyncio.run(bench.run())
    bench.write("long.md", "# Long\n\n" + " ".join(f"word{number}" for number in range(9_000)))
    limited = attempt(tmp_path, "index", "search", "full", "search", file_size=6_000)
    assert limited == ["disk-full", "ok", "disk-full", "ok"]
    assert asyncio.run(bench.run()).status == "ok"
    assert asyncio.run(bench.rows()) == asyncio.run(bench.fresh_rows())


@pytest.mark.skipif(os.geteuid() != 0, reason="only a superuser can become another user")
def test_whoever_may_only_read_searches_and_is_told_why_no_more() -> None:
    # Other users cannot get into the folder that pytest gives.
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        bench = Workbench(folder, WIKI)
        asyncio.run(bench.run())
        before = sorted(Path(bench.uri).rglob("*"))
        assert attempt(folder, "search", "index", "full", "purge", uid=NOBODY) == [
            "ok",
            "ok",
            "index-read-only",
            "index-read-only",
        ]
        assert sorted(Path(bench.uri).rglob("*")) == before
        Path(bench.uri).chmod(0o700)
        assert attempt(folder, "search", "full", uid=NOBODY) == ["index-read-only", "index-read-only"]


def test_a_run_that_was_stopped_until_another_took_over_does_no_harm(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    asyncio.run(bench.run())
    many = "".join(f"## Part {number}\n\nzorbzombie {number}\n\n" for number in range(400))
    bench.write("many.md", f"# Many\n\n{many}")
    log = tmp_path / "embedded.log"
    command = [sys.executable, str(SUPPORT / "index_child.py"), str(tmp_path), str(log), "1"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as zombie:
        assert zombie.stdin is not None
        zombie.stdin.write("full\n")
        zombie.stdin.flush()
        wait_until(log.exists)
        zombie.send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        bench.delete("many.md")
        bench.write("heir.md", "# Heir\n\nzorbheir\n")
        report = asyncio.run(bench.run(lease_seconds=1.0))
        zombie.send_signal(signal.SIGCONT)
        _, error = zombie.communicate()
    assert zombie.returncode == 1
    assert "LeaseLost: another writer took over" in error
    assert report.pages.added == 1
    assert asyncio.run(bench.found("zorbzombie")) == set()
    assert asyncio.run(bench.rows()) == asyncio.run(bench.fresh_rows())
    bench.write("after.md", "# After\n")
    asyncio.run(bench.run())
    assert asyncio.run(bench.rows()) == asyncio.run(bench.fresh_rows())


def test_runs_rebuilds_and_purges_of_many_processes_at_once_leave_a_whole_index(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(
            pool.map(lambda action: attempt(tmp_path, *[action] * 3), ["index", "full", "purge", "full"])
        )
    refused = {"index-busy", "index-missing", "index-moved", "lease-lost"}
    assert {outcome for some in outcomes for outcome in some} <= {"ok", *refused}
    assert asyncio.run(bench.run()).status == "ok"
    assert asyncio.run(bench.rows()) == asyncio.run(bench.fresh_rows())
