"""Index runs over a wiki on disk: what is embedded, what is found, and what the report says."""

import os
import time
from pathlib import Path

import pytest
from workbench import Workbench

from indexer.errors import RootEmpty, RootUnavailable
from retrieval.store import IndexBusy, open_store, open_writer

pytestmark = pytest.mark.anyio

LONG_SECTION = "\n\n".join(
    f"Paragraph {number} tells of the {number}th lock on the canal and of its keeper, who lives beside it."
    for number in range(40)
)
WIKI = {
    "locks.md": f"# Locks\n\n{LONG_SECTION}\n",
    "boats.md": "---\ntags: [craft]\n---\n\n# Boats\n\nSee [[locks]] and [[weir#Gates|the gates]].\n",
    "weir.md": "# Weir\n\n## Gates\n\nThe gates close at noon. zorbgate\n",
}


async def test_the_first_run_indexes_everything(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    report = await bench.run()
    assert report.status == "ok"
    assert (report.pages.total, report.pages.added) == (3, 3)
    assert report.chunks.total == report.chunks.embedded > 20
    assert report.links == {"resolved": 2}
    assert await bench.found("zorbgate") == {"weir.md"}


async def test_a_run_without_changes_embeds_nothing_and_makes_no_generation(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    first = await bench.run()
    second = await bench.run()
    assert second.generation == first.generation
    assert bench.embedder.embedded == []
    assert second.pages.unchanged == 3


async def test_one_edited_paragraph_embeds_at_most_two_chunks(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    for number in (3, 17, 38):
        text = (bench.root / "locks.md").read_text()
        bench.write(
            "locks.md", text.replace(f"the {number}th lock on", f"the {number}th and deepest lock on")
        )
        report = await bench.run()
        assert report.pages.changed == 1
        assert 1 <= bench.embedder.count("chunk") <= 2
    assert await bench.rows() == await bench.fresh_rows()


async def test_moving_copying_and_renaming_embed_nothing(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    bench.move("locks.md", "canal/Locks.md")
    report = await bench.run()
    assert (report.pages.moved, report.pages.added, report.pages.deleted) == (1, 0, 0)
    assert bench.embedder.count("chunk") == 0
    bench.write("copy.md", WIKI["weir.md"])
    bench.move("boats.md", "BOATS.md")
    report = await bench.run()
    assert (report.pages.moved, report.pages.added) == (1, 1)
    assert bench.embedder.count("chunk") == 0
    assert await bench.found("zorbgate") == {"copy.md", "weir.md"}
    assert await bench.rows() == await bench.fresh_rows()


async def test_a_deleted_page_is_in_no_answer_and_its_links_no_longer_resolve(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    bench.delete("weir.md")
    report = await bench.run()
    assert report.pages.deleted == 1
    assert report.links == {"resolved": 1, "unresolved": 1}
    assert await bench.found("zorbgate") == set()


async def test_a_new_heading_resolves_a_link_of_an_unchanged_page(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {**WIKI, "weir.md": "# Weir\n\nzorbgate\n"})
    assert (await bench.run()).links == {"heading_unresolved": 1, "resolved": 1}
    bench.write("weir.md", WIKI["weir.md"])
    assert (await bench.run()).links == {"resolved": 2}


async def test_an_asset_that_appears_resolves_an_embed_of_an_unchanged_page(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"a.md": "# A\n\n![[chart.png]]\n"})
    assert (await bench.run()).links == {"unresolved": 1}
    bench.write("img/chart.png", "png")
    assert (await bench.run()).links == {"asset": 1}
    (bench.root / "img/chart.png").unlink()
    assert (await bench.run()).links == {"unresolved": 1}


async def test_a_page_that_cannot_be_decoded_is_an_issue_and_keeps_its_last_good_text(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    (bench.root / "weir.md").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\xff\xfe\xfd" * 40)
    report = await bench.run()
    assert report.status == "partial"
    assert [(issue.path, issue.line) for issue in report.issues] == [("weir.md", None)]
    assert await bench.found("zorbgate") == {"weir.md"}
    full = await bench.run("full")
    assert full.pages.total == 3
    assert await bench.found("zorbgate") == {"weir.md"}


async def test_a_full_run_reuses_every_vector(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    first = await bench.run()
    full = await bench.run("full")
    assert full.generation > first.generation
    assert bench.embedder.embedded == []
    assert full.chunks.reused == full.chunks.total
    assert await bench.rows() == await bench.fresh_rows()


async def test_a_text_that_fails_is_named_and_tried_again(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    bench.embedder.fail_on = "zorbgate"
    report = await bench.run()
    assert report.status == "partial"
    assert {issue.path for issue in report.issues} == {"weir.md"}
    assert await bench.found("zorbgate") == {"weir.md"}
    bench.embedder.recover()
    report = await bench.run()
    assert (report.status, report.chunks.embedded, report.issues) == ("ok", 1, ())
    assert await bench.rows() == await bench.fresh_rows()


async def test_an_embedder_that_is_down_leaves_words_to_search_and_work_for_the_next_run(
    tmp_path: Path,
) -> None:
    bench = Workbench(tmp_path, WIKI)
    bench.embedder.raising = True
    report = await bench.run()
    assert report.status == "partial"
    assert report.chunks.pending > 0
    assert await bench.found("zorbgate") == {"weir.md"}
    bench.embedder.recover()
    assert (await bench.run()).status == "ok"
    assert await bench.rows() == await bench.fresh_rows()


async def test_another_model_of_the_same_size_embeds_everything_anew(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    before = await bench.run()
    old = bench.embedder
    bench.embedder = type(old)(model="other", window=64)
    report = await bench.run()
    assert bench.embedder.count("chunk") == before.chunks.total
    assert report.chunks.total == report.chunks.embedded
    bench.embedder = old
    assert (await bench.run()).chunks.reused == before.chunks.total
    assert old.embedded == []


async def test_an_empty_folder_does_not_empty_the_index_unasked(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    for path in WIKI:
        bench.delete(path)
    with pytest.raises(RootEmpty, match="3 pages"):
        await bench.run()
    assert await bench.found("zorbgate") == {"weir.md"}
    report = await bench.run(allow_empty=True)
    assert (report.pages.total, report.pages.deleted) == (0, 3)
    assert await bench.found("zorbgate") == set()


async def test_a_missing_folder_is_named_and_the_index_stays(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    bench.root.rename(tmp_path / "elsewhere")
    with pytest.raises(RootUnavailable, match="wiki"):
        await bench.run()
    assert await bench.found("zorbgate") == {"weir.md"}


async def test_a_second_run_at_the_same_time_says_so(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    bench.write("new.md", "# New\n")
    store = await open_store(bench.uri)
    async with open_writer(store, retention=bench.retention, clock=time.time):
        with pytest.raises(IndexBusy, match="another run"):
            await bench.run()
    assert (await bench.run()).pages.added == 1


async def test_a_same_size_edit_with_the_old_time_is_seen(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    page = bench.root / "weir.md"
    times = page.stat()
    page.write_text(WIKI["weir.md"].replace("zorbgate", "zorbdoor"))
    os.utime(page, ns=(times.st_atime_ns, times.st_mtime_ns))
    await bench.run()
    assert await bench.found("zorbdoor") == {"weir.md"}
    assert await bench.found("zorbgate") == set()
