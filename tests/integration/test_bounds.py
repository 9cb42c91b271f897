"""Runs that are bounded to some pages and folders: the rest of the index stays as it was."""

import json
from pathlib import Path

import pytest
from workbench import Workbench

from indexer.bounds import Bounds, parse_bounds
from indexer.errors import InvalidPath
from indexer.options import RunMode
from indexer.report import IndexReport

pytestmark = pytest.mark.anyio

WIKI = {
    "index.md": "# Home\n\nSee [[deploy]] and [[old]].\n",
    "ops/deploy.md": "# Deploy\n\nzorbship\n",
    "ops/deep/old.md": "# Old\n\nzorbold\n",
    "ops-notes/list.md": "# List\n\nzorblist\n",
}


async def texts(bench: Workbench) -> dict[str, str]:
    """Returns the texts that the index holds, by path."""
    rows = [json.loads(row) for row in (await bench.rows())["pages"]]
    return {row["path"]: row["text"] for row in rows}


async def run_within(bench: Workbench, *paths: str, mode: RunMode = "incremental") -> IndexReport:
    return await bench.indexer().run(mode, bounds=parse_bounds(paths))


def change_everything(bench: Workbench) -> None:
    for path in WIKI:
        bench.write(path, f"# Anew\n\nzorbnew {path}\n")
    bench.write("added.md", "# Added\n")
    bench.write("ops/added.md", "# Added\n")


async def test_only_the_named_page_is_compared(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    change_everything(bench)
    report = await run_within(bench, "ops/deploy.md")
    assert (report.pages.changed, report.pages.added, report.pages.unchanged) == (1, 0, 3)
    assert await texts(bench) == {**WIKI, "ops/deploy.md": "# Anew\n\nzorbnew ops/deploy.md\n"}


async def test_a_folder_holds_all_below_it_and_no_neighbour_of_a_like_name(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    change_everything(bench)
    report = await run_within(bench, "ops/")
    assert (report.pages.changed, report.pages.added) == (2, 1)
    after = await texts(bench)
    assert after["ops-notes/list.md"] == WIKI["ops-notes/list.md"]
    assert after["ops/deep/old.md"] == "# Anew\n\nzorbnew ops/deep/old.md\n"
    assert "added.md" not in after


async def test_a_page_that_went_is_removed_only_within_the_bounds(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    bench.delete("ops/deep/old.md")
    bench.delete("ops-notes/list.md")
    report = await run_within(bench, "ops/deep")
    assert report.pages.deleted == 1
    assert report.links == {"resolved": 1, "unresolved": 1}
    assert (await texts(bench)).keys() == WIKI.keys() - {"ops/deep/old.md"}


async def test_a_full_run_builds_all_tables_from_the_named_files_and_the_index(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    before = await bench.run()
    change_everything(bench)
    report = await run_within(bench, "ops", mode="full")
    assert report.generation > before.generation
    after = await texts(bench)
    assert after.keys() == WIKI.keys() | {"ops/added.md"}
    assert after["index.md"] == WIKI["index.md"]
    assert after["ops/deploy.md"] == "# Anew\n\nzorbnew ops/deploy.md\n"


async def test_bounded_runs_over_all_parts_make_the_index_of_one_run(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    change_everything(bench)
    for paths in (["ops"], ["added.md", "index.md"], ["ops-notes"]):
        await run_within(bench, *paths)
    assert await bench.rows() == await bench.fresh_rows()


async def test_a_first_run_knows_nothing_but_the_named_pages(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    report = await run_within(bench, "index.md")
    assert (report.pages.total, report.links) == (1, {"unresolved": 2})
    assert (await bench.run()).pages.added == 3
    assert await bench.rows() == await bench.fresh_rows()


async def test_nothing_new_within_the_bounds_makes_no_generation(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    first = await bench.run()
    bench.write("index.md", "# Changed\n")
    report = await run_within(bench, "ops", "nowhere.md")
    assert (report.generation, report.pages.unchanged) == (first.generation, 4)


async def test_an_unreadable_page_outside_stays_an_issue(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    (bench.root / "index.md").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\xff\xfe\xfd" * 40)
    whole = await bench.run()
    bench.write("ops/deploy.md", "# Deploy\n\nagain\n")
    bounded = await run_within(bench, "ops")
    assert bounded.status == "partial"
    assert [issue.path for issue in whole.issues] == ["index.md"] == [issue.path for issue in bounded.issues]
    assert (await texts(bench))["index.md"] == WIKI["index.md"]


@pytest.mark.parametrize("path", ["", "/", "/etc", "..", "../x", "a/../b", "./a", "a//b", "a/.", "a//"])
async def test_a_path_that_is_none_inside_the_wiki_is_refused(path: str) -> None:
    with pytest.raises(InvalidPath, match="relative to its root"):
        parse_bounds([path])


async def test_a_path_covers_itself_and_what_is_below() -> None:
    bounds = parse_bounds(["a/b", "c.md", "d/"])
    assert [path for path in ("a/b", "a/b/x.md", "c.md", "d/e/f.md") if not bounds.cover(path)] == []
    assert [path for path in ("a", "a/bc.md", "c.md2", "x/c.md", "D/e.md") if bounds.cover(path)] == []
    assert Bounds().cover("anything.md")
