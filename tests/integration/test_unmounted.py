"""A folder that was emptied, told from one that is gone: IN-01 and its kin."""

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from workbench import Workbench

from indexer.errors import RootEmpty, RootUnavailable

pytestmark = pytest.mark.anyio

WIKI = {
    "home.md": "# Home\n\nzorbhome [[deep]]\n",
    "part/deep.md": "# Deep\n\nzorbdeep\n",
    "part/more/deeper.md": "# Deeper\n\nzorbabyss\n",
}
GONE = [errno.EIO, errno.ESTALE, errno.ENOTCONN, errno.EACCES, errno.ETIMEDOUT]


def remove(path: Path) -> None:
    shutil.rmtree(path)


def replace_by_file(path: Path) -> None:
    shutil.rmtree(path)
    path.write_text("no folder")


def replace_by_dangling_link(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.symlink_to(path.with_name("nowhere"))


def replace_by_empty_folder(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.mkdir()


@pytest.mark.parametrize("harm", [remove, replace_by_file, replace_by_dangling_link, replace_by_empty_folder])
async def test_a_root_that_is_gone_is_refused_and_the_index_stays(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    harm(bench.root)
    for work in (bench.run, lambda: bench.run("full"), bench.indexer().preview):
        with pytest.raises((RootUnavailable, RootEmpty)):
            await work()
    assert await bench.found("zorbdeep") == {"part/deep.md"}


async def test_an_empty_folder_without_an_index_gets_an_empty_one(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    for _ in range(2):
        report = await bench.run()
        assert (report.status, report.pages.total) == ("ok", 0)
    assert (await bench.search("anything")).evidence == ()


async def test_the_last_page_that_is_deleted_beside_other_files_goes(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {**WIKI, "image.png": "not a page"})
    await bench.run()
    for path in WIKI:
        bench.delete(path)
    assert (await bench.run()).pages.deleted == len(WIKI)
    assert await bench.found("zorbhome") == set()


async def test_all_pages_of_a_folder_that_stays_go(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    bench.delete("part/deep.md")
    bench.delete("part/more/deeper.md")
    assert (await bench.run()).pages.deleted == 2
    assert await bench.rows() == await bench.fresh_rows()


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int], None]:
    """Lets a folder of the wiki fail to be listed with an error of the system."""
    listing = os.scandir

    def fail(folder: str, number: int) -> None:
        place = os.path.normpath(tmp_path / "wiki" / folder)

        def scan(path: str) -> object:
            if os.path.normpath(path) == place:
                raise OSError(number, os.strerror(number), path)
            return listing(path)

        monkeypatch.setattr(os, "scandir", scan)

    return fail


@pytest.mark.parametrize("number", GONE)
async def test_a_root_that_fails_is_refused(
    tmp_path: Path, failing: Callable[[str, int], None], number: int
) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    failing("", number)
    with pytest.raises(RootUnavailable, match=os.strerror(number)):
        await bench.run()
    assert await bench.found("zorbdeep") == {"part/deep.md"}


@pytest.mark.parametrize("number", GONE)
async def test_a_folder_that_fails_keeps_its_pages_and_the_others_go_on(
    tmp_path: Path, failing: Callable[[str, int], None], number: int
) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    bench.write("home.md", "# Home\n\nzorbnew\n")
    failing("part", number)
    report = await bench.run()
    assert (report.status, report.pages.changed, report.pages.deleted) == ("partial", 1, 0)
    assert [(issue.path, issue.code) for issue in report.issues] == [("part", errno.errorcode[number])]
    assert await bench.found("zorbdeep") == {"part/deep.md"}
    assert await bench.found("zorbnew") == {"home.md"}


@pytest.fixture
def during_scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Lets something happen while the wiki is scanned, after its root was listed."""
    listing = os.scandir

    def happen(change: Callable[[], None]) -> None:
        def scan(path: str) -> object:
            if os.path.normpath(path) == str(tmp_path / "wiki" / "part"):
                monkeypatch.setattr(os, "scandir", listing)
                change()
            return listing(path)

        monkeypatch.setattr(os, "scandir", scan)

    return happen


async def test_a_root_that_moves_during_the_scan_is_refused(
    tmp_path: Path, during_scan: Callable[[Callable[[], None]], None]
) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    for change in (
        lambda: bench.root.rename(tmp_path / "moved"),
        lambda: replace_by_empty_folder(bench.root),
    ):
        during_scan(change)
        with pytest.raises(RootUnavailable):
            await bench.run()
        assert await bench.found("zorbabyss") == {"part/more/deeper.md"}
        shutil.rmtree(bench.root, ignore_errors=True)
        (tmp_path / "moved").rename(bench.root)
    assert (await bench.run()).pages.unchanged == len(WIKI)


async def test_a_page_that_becomes_a_folder_during_the_run_is_an_issue_and_put_right_by_the_next(
    tmp_path: Path, during_scan: Callable[[Callable[[], None]], None]
) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    bench.write("home.md", "# Home\n\nchanged\n")

    def change() -> None:
        bench.delete("home.md")
        bench.write("home.md/inner.md", "# Inner\n\nzorbinner\n")

    during_scan(change)
    report = await bench.run()
    assert (report.status, [issue.path for issue in report.issues]) == ("partial", ["home.md"])
    assert await bench.found("zorbhome") == {"home.md"}
    assert (await bench.run()).status == "ok"
    assert await bench.rows() == await bench.fresh_rows()


async def test_pages_deleted_during_the_run_are_gone_after_the_next(
    tmp_path: Path, during_scan: Callable[[Callable[[], None]], None]
) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    bench.write("home.md", "# Home\n\nchanged\n")

    def change() -> None:
        bench.delete("home.md")
        remove(bench.root / "part" / "more")

    during_scan(change)
    await bench.run()
    assert (await bench.run()).status == "ok"
    assert await bench.rows() == await bench.fresh_rows()


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Callable[[Path], Callable[[], None]]]:
    """Mounts a small disk at a folder and returns what unmounts it."""
    mounted: list[Path] = []

    def unmount(place: Path) -> None:
        subprocess.run(["umount", "-l", str(place)], check=True)
        mounted.remove(place)

    def attach(place: Path) -> Callable[[], None]:
        place.mkdir(parents=True, exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
        if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
            pytest.skip("this user cannot mount a disk")
        mounted.append(place)
        return lambda: unmount(place)

    yield attach
    while mounted:
        unmount(mounted[-1])


async def test_an_unmounted_folder_keeps_its_pages_until_they_are_said_to_be_gone(
    tmp_path: Path, mount: Callable[[Path], Callable[[], None]]
) -> None:
    bench = Workbench(tmp_path, {"home.md": WIKI["home.md"]})
    unmount = mount(bench.root / "part")
    bench.write("part/deep.md", WIKI["part/deep.md"])
    bench.write("part/more/deeper.md", WIKI["part/more/deeper.md"])
    await bench.run()
    unmount()
    for edit in range(2):
        bench.write("home.md", f"# Home\n\nedit {edit}\n")
        for report in (await bench.run(), await bench.run("full")):
            assert (report.status, report.pages.total) == ("partial", 3)
            assert [(issue.path, issue.code) for issue in report.issues] == [("part", "not-mounted")]
    assert await bench.found("zorbabyss") == {"part/more/deeper.md"}
    assert (await bench.run(allow_empty=True)).pages.deleted == 2
    assert (await bench.run()).status == "ok"


async def test_an_unmounted_root_is_refused_also_where_something_else_lies_in_it(
    tmp_path: Path, mount: Callable[[Path], Callable[[], None]]
) -> None:
    bench = Workbench(tmp_path)
    (bench.root / "README.txt").write_text("mount the wiki here")
    unmount = mount(bench.root)
    for path, text in WIKI.items():
        bench.write(path, text)
    await bench.run()
    unmount()
    with pytest.raises(RootEmpty, match="3 pages"):
        await bench.run()
    with pytest.raises(RootEmpty, match="3 pages"):
        await bench.run("full")
    assert await bench.found("zorbdeep") == {"part/deep.md"}


async def test_pages_deleted_from_a_mounted_folder_go(
    tmp_path: Path, mount: Callable[[Path], Callable[[], None]]
) -> None:
    bench = Workbench(tmp_path, {"home.md": WIKI["home.md"]})
    mount(bench.root / "part")
    bench.write("part/deep.md", WIKI["part/deep.md"])
    await bench.run()
    bench.delete("part/deep.md")
    assert (await bench.run()).pages.deleted == 1
    assert await bench.found("zorbdeep") == set()


@pytest.mark.parametrize(
    "ns", [-1, -11_644_473_600 * 10**9, 2**63 - 1, 2**63, 253_402_300_800 * 10**9, -(2**63)]
)
async def test_a_page_from_another_age_is_indexed_and_cited(tmp_path: Path, ns: int) -> None:
    bench = Workbench(tmp_path, WIKI)
    try:
        os.utime(bench.root / "home.md", ns=(ns, ns))
    except (OSError, OverflowError) as error:
        pytest.skip(f"this file system does not take the time: {error}")
    assert (await bench.run()).status == "ok"
    pack = await bench.search("zorbhome", mode="lexical")
    assert pack.evidence[0].citation.modified.endswith("Z")
    assert (await bench.run()).pages.unchanged == len(WIKI)
