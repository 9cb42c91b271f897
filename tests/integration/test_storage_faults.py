"""What an index does when its disk is full, its place closed, or its writer stopped or one of many."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from runs import wait_until
from workbench import Workbench

from indexer.purge import purge_index
from retrieval.store import DiskFull

SUPPORT = Path(__file__).parents[1] / "support"
NOBODY = 65_534
WIKI = {
    "steady.md": "# Steady\n\nzorbsteady [[other]]\n",
    "other.md": "# Other\n\nzorbother\n\n## More\n\nof it\n",
}


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
