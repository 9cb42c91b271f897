"""Dry runs: they tell what a run would do, and leave no trace."""

from pathlib import Path

import pytest
from workbench import Workbench

from indexer.bounds import parse_bounds
from indexer.errors import RootEmpty, RootUnavailable
from indexer.report import Move

pytestmark = pytest.mark.anyio

WIKI = {
    "locks.md": "# Locks\n\nOf locks.\n\n## Keepers\n\nOf keepers.\n",
    "boats.md": "# Boats\n\nSee [[locks]].\n",
    "weir.md": "# Weir\n\nThe gates close at noon.\n",
    "mill.md": "# Mill\n\nGrain.\n",
}


def files_of(bench: Workbench) -> dict[str, tuple[int, int]]:
    """Returns size and time of every file of the index."""
    return {
        str(path): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in Path(bench.uri).rglob("*")
        if path.is_file()
    }


async def test_it_tells_what_happened_to_each_page_and_the_run_does_just_that(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    first = await bench.run()
    bench.write("new.md", "# New\n\nfresh words\n")
    bench.write("locks.md", WIKI["locks.md"].replace("Of keepers.", "Of their keepers."))
    bench.move("mill.md", "town/Mill.md")
    bench.delete("weir.md")
    before = files_of(bench)
    preview = await bench.indexer().preview()
    assert files_of(bench) == before
    assert (preview.status, preview.generation, preview.rebuild) == ("ok", first.generation, False)
    assert (preview.changes.added, preview.changes.changed) == (("new.md",), ("locks.md",))
    assert preview.changes.moved == (Move(source="mill.md", target="town/Mill.md"),)
    assert preview.changes.deleted == ("weir.md",)
    report = await bench.run()
    assert report.pages == preview.pages
    assert (preview.chunks.written, preview.chunks.embedded) == (4, 2)
    assert bench.embedder.count("chunk") == 2


async def test_without_changes_it_has_nothing_to_tell(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    preview = await bench.indexer().preview()
    assert (preview.pages.unchanged, preview.chunks.written, preview.chunks.embedded) == (4, 0, 0)


async def test_where_there_is_no_index_none_is_made(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    preview = await bench.indexer().preview()
    assert (preview.generation, preview.rebuild) == (None, True)
    assert (preview.pages.total, preview.pages.added, preview.chunks.embedded) == (4, 4, 5)
    assert not Path(bench.uri).exists()


async def test_a_full_run_would_write_all_and_embed_nothing(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    preview = await bench.indexer().preview("full")
    assert (preview.rebuild, preview.pages.unchanged) == (True, 4)
    assert (preview.chunks.written, preview.chunks.embedded) == (5, 0)


async def test_it_is_bounded_as_a_run_is(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    for path in WIKI:
        bench.write(path, "# Anew\n")
    preview = await bench.indexer().preview(bounds=parse_bounds(["weir.md"]))
    assert preview.changes.changed == ("weir.md",)
    assert preview.pages.unchanged == 3


async def test_another_model_would_embed_every_text(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    bench.embedder = type(bench.embedder)(model="other", window=64)
    preview = await bench.indexer().preview()
    assert (preview.chunks.written, preview.chunks.embedded) == (0, 5)


async def test_what_waits_for_its_vector_counts(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    bench.embedder.raising = True
    report = await bench.run()
    bench.embedder.recover()
    assert (await bench.indexer().preview()).chunks.embedded == report.chunks.pending > 0


async def test_a_page_that_cannot_be_read_is_an_issue(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    (bench.root / "weir.md").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\xff\xfe\xfd" * 40)
    preview = await bench.indexer().preview()
    assert (preview.status, preview.pages.failed) == ("partial", 1)
    assert [issue.path for issue in preview.issues] == ["weir.md"]


async def test_what_a_run_refuses_it_refuses_too(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    for path in WIKI:
        bench.delete(path)
    with pytest.raises(RootEmpty):
        await bench.indexer().preview()
    bench.root.rmdir()
    with pytest.raises(RootUnavailable):
        await bench.indexer().preview()
