"""Cited pages that change between a run and a query: repaired, marked, or left out, with real tables."""

import codecs
import hashlib
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from workbench import Workbench

from chunking.decode import decode
from chunking.lines import LineIndex
from indexer.files import MAX_PAGE_BYTES
from retrieval import sighting
from retrieval.live import LiveFile, LiveWiki
from retrieval.pack import Evidence, EvidencePack
from retrieval.request import Expand

pytestmark = pytest.mark.anyio

PAGE = (
    "# Deploy\n\nIt ships the zorbship to every harbour on the coast.\n\n"
    "## Rollback\n\nRun zorbback twice, wait a minute, and tell the keeper of the log.\n"
    "Then look at the gauge until it is still.\n\n"
    "## Hosts\n\n| host | port |\n|---|---|\n| quay | 8080 |\n| mole | 9090 |\n"
)


@pytest.fixture
async def bench(tmp_path: Path) -> Workbench:
    bench = Workbench(tmp_path, {"deploy.md": PAGE, "other.md": "# Other\n\nNothing of the kind.\n"})
    await bench.run()
    return bench


async def ask(bench: Workbench, query: str = "zorbback keeper", **request: object) -> EvidencePack:
    """Answers a query by words and checks what every pack must keep to."""
    options = {"mode": "lexical", "expand": Expand(hops=0), "live": bench.live, **request}
    pack = await bench.search(query, **options)
    assert pack.budget.tokens <= pack.budget.max_tokens
    assert pack.budget.tokens == sum(bench.embedder.counter.count([item.text for item in pack.evidence]))
    for item in pack.evidence:
        if item.citation.freshness in ("fresh", "repaired"):
            check_citation(bench.root, item)
    return pack


def check_citation(root: Path, item: Evidence) -> None:
    """Checks a citation against the file with code of its own."""
    place = item.citation
    raw = (root / place.path).read_bytes()
    live = decode(raw).text
    assert live[place.char_start : place.char_end] == item.text != ""
    span = LineIndex(live).span(place.char_start, place.char_end)
    assert (place.line_start, place.line_end) == (span.line_start, span.line_end)
    assert place.text_sha256 == hashlib.sha256(item.text.encode()).hexdigest()
    assert place.page_sha256 == hashlib.sha256(raw).hexdigest()


def codes(pack: EvidencePack) -> list[str]:
    return [warning.code for warning in pack.warnings]


async def test_unchanged_page_is_fresh_and_read_once(bench: Workbench) -> None:
    reads: list[str] = []

    def read(path: str) -> LiveFile:
        reads.append(path)
        return bench.live.read(path)

    pack = await ask(bench, "zorbship zorbback quay", live=LiveWiki(read=read, dialect="obsidian"))
    assert {item.citation.freshness for item in pack.evidence} == {"fresh"}
    assert (reads, codes(pack)) == (["deploy.md"], [])


@pytest.mark.parametrize(
    ("edit", "lines"),
    [
        (lambda text: text.replace("# Deploy", "a new line\n\n# Deploy"), (7, 10)),
        (lambda text: text + "\n## Below\n\nMore.\n", (5, 8)),
        (lambda text: text.replace("\n", "\r\n"), (5, 8)),
        (lambda text: "---\ntags: [new]\n---\n" + text, (8, 11)),
    ],
    ids=["above", "below", "line ends", "frontmatter"],
)
async def test_passage_that_moved_is_cited_where_it_is(
    bench: Workbench, edit: Callable[[str], str], lines: tuple[int, int]
) -> None:
    before = (await ask(bench)).evidence[0]
    bench.write("deploy.md", edit(PAGE))
    pack = await ask(bench)
    (item,) = pack.evidence
    assert item.text.split() == before.text.split()
    assert item.citation.freshness == "repaired"
    assert (item.citation.line_start, item.citation.line_end) == lines
    assert (item.chunk_ids, item.citation.heading_path) == (before.chunk_ids, ("Deploy", "Rollback"))
    assert codes(pack) == ["index-stale"]
    assert pack.warnings[0].detail == {"changed": 1}


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: codecs.BOM_UTF8 + text.encode(),
        lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
        lambda text: text.encode("utf-16-be"),
    ],
)
async def test_page_of_other_bytes_and_the_same_text_is_repaired(
    bench: Workbench, encode: Callable[[str], bytes]
) -> None:
    before = await ask(bench)
    (bench.root / "deploy.md").write_bytes(encode(PAGE))
    pack = await ask(bench)
    assert [item.text for item in pack.evidence] == [item.text for item in before.evidence]
    assert (pack.evidence[0].citation.freshness, codes(pack)) == ("repaired", ["index-stale"])


async def test_heading_and_title_are_those_of_the_file(bench: Workbench) -> None:
    bench.write("deploy.md", PAGE.replace("# Deploy", "# Ship").replace("## Rollback", "## Back again"))
    place = (await ask(bench)).evidence[0].citation
    assert (place.title, place.heading_path, place.anchor) == ("Ship", ("Ship", "Back again"), "back-again")
    assert place.url == "/deploy.md#back-again"


async def test_edited_passage_is_quoted_as_it_is_now(bench: Workbench) -> None:
    bench.write("deploy.md", PAGE.replace("wait a minute", "wait an hour"))
    (item,) = (await ask(bench)).evidence
    assert "wait an hour" in item.text
    assert item.text.startswith("## Rollback\n")
    assert item.text.endswith("until it is still.")
    assert item.citation.freshness == "repaired"


async def test_table_row_that_changed_is_quoted_as_it_is_now(bench: Workbench) -> None:
    bench.write("deploy.md", PAGE.replace("9090", "9443").replace("# Deploy\n", "# Deploy\n\nNew.\n"))
    (item,) = (await ask(bench, "mole port")).evidence
    assert "| mole | 9443 |" in item.text
    assert item.citation.freshness == "repaired"


async def test_rewritten_passage_is_stale_and_told(bench: Workbench) -> None:
    start, end = PAGE.index("Run zorbback"), PAGE.index("## Hosts")
    bench.write("deploy.md", PAGE[:start] + "Ask somebody who knows.\n\n" + PAGE[end:])
    pack = await ask(bench)
    (item,) = pack.evidence
    assert "Run zorbback twice" in item.text
    assert item.citation.freshness == "stale"
    assert codes(pack) == ["index-stale", "evidence-stale"]
    assert pack.warnings[1].detail == {"paths": ("deploy.md",)}


async def test_pack_id_is_of_what_is_quoted(bench: Workbench) -> None:
    fresh = await ask(bench)
    assert (await bench.search("zorbback keeper", mode="lexical", expand=Expand(hops=0))).pack_id == (
        fresh.pack_id
    )
    bench.write("deploy.md", "# Deploy\n")
    assert (await ask(bench)).pack_id == fresh.pack_id  # stale: the same words
    bench.write("deploy.md", "\n" + PAGE)
    assert (await ask(bench)).pack_id != fresh.pack_id


async def test_new_heading_inside_a_passage_bounds_it(bench: Workbench) -> None:
    bench.write("deploy.md", PAGE.replace("Then look", "## Afterwards\n\nThen look"))
    (item,) = (await ask(bench)).evidence
    assert item.text.endswith("keeper of the log.")
    assert item.citation.heading_path == ("Deploy", "Rollback")


async def test_insertion_that_outgrows_the_passage_is_not_quoted(bench: Workbench) -> None:
    bench.write("deploy.md", PAGE.replace("Then look", "Entirely different words here.\n" * 40 + "Then look"))
    (item,) = (await ask(bench)).evidence
    assert item.citation.freshness == "stale"


@pytest.mark.parametrize("spare", [0, 4])
async def test_repaired_text_keeps_to_the_budget(bench: Workbench, spare: int) -> None:
    tokens = (await ask(bench)).budget.tokens
    bench.write("deploy.md", PAGE.replace("wait a minute", "wait for a minute or for two of them"))
    pack = await ask(bench, max_tokens=tokens + spare)
    assert pack.evidence[0].citation.freshness == "repaired"
    assert pack.evidence[0].text.endswith("keeper of the log.")
    assert "pack-truncated" in codes(pack)


async def test_cut_passage_is_repaired(bench: Workbench) -> None:
    bench.write("deploy.md", "Above.\n\n" + PAGE)
    (item,) = (await ask(bench, max_tokens=12)).evidence
    assert item.text.startswith("## Rollback")
    assert (item.citation.freshness, item.citation.line_start) == ("repaired", 7)


async def test_passage_of_several_chunks_is_repaired(tmp_path: Path) -> None:
    lines = "".join(f"- step {number} turns the zorbwheel by {number} notches\n" for number in range(30))
    bench = Workbench(tmp_path, {"wheel.md": f"# Wheel\n\n{lines}"}, window=40)
    await bench.run()
    before = max((await ask(bench, "zorbwheel", k=3)).evidence, key=lambda item: len(item.chunk_ids))
    assert len(before.chunk_ids) > 1
    bench.write("wheel.md", f"# Wheel\n\nNew.\n\n{lines}")
    after = (await ask(bench, "zorbwheel", k=3)).evidence
    (item,) = [item for item in after if item.chunk_ids == before.chunk_ids]
    assert item.text == before.text
    assert item.citation.line_start == before.citation.line_start + 2


async def test_text_that_is_twice_in_a_page_stays_in_its_own_place(tmp_path: Path) -> None:
    same = "The zorbport is 8080.\n"
    page = f"# Staging\n\n{same}\n# Between\n\nWords.\n\n# Production\n\n{same}\n"
    bench = Workbench(tmp_path, {"ports.md": page})
    await bench.run()
    wanted = (await ask(bench, "zorbport production")).evidence[0].citation
    assert wanted.heading_path == ("Production",)
    bench.write("ports.md", f"New.\n\n{page}")
    items = (await ask(bench, "zorbport production")).evidence
    assert {item.citation.heading_path: item.citation.line_start for item in items} == {
        ("Staging",): 3,
        ("Production",): 11,
    }


async def test_copy_elsewhere_in_the_page_does_not_stand_for_a_deleted_passage(tmp_path: Path) -> None:
    same = "Set the zorbport to 8080 by hand.\n"
    bench = Workbench(tmp_path, {"ports.md": f"# A\n\n{same}\n# B\n\nWords.\n\n# C\n\n{same}\n"})
    await bench.run()
    bench.write("ports.md", f"# A\n\n# B\n\nWords.\n\n# C\n\n{same}\n")
    states = {
        item.citation.heading_path: item.citation.freshness
        for item in (await ask(bench, "zorbport hand")).evidence
    }
    assert states[("C",)] == "repaired"
    assert states.get(("A",)) in (None, "stale")


async def test_deleted_page_is_dropped_and_told(bench: Workbench) -> None:
    bench.delete("deploy.md")
    pack = await ask(bench)
    assert (pack.evidence, pack.answerable, pack.budget.tokens, pack.gaps) == ((), False, 0, ())
    assert codes(pack) == ["no-relevant-evidence", "index-stale", "evidence-stale"]


async def test_emptied_page_is_stale(bench: Workbench) -> None:
    bench.write("deploy.md", "")
    assert [item.citation.freshness for item in (await ask(bench)).evidence] == ["stale"]


@pytest.mark.parametrize("lost", ["deleted", "rewritten"])
async def test_living_copy_takes_the_place_of_a_lost_passage(tmp_path: Path, lost: str) -> None:
    bench = Workbench(tmp_path, {"a.md": PAGE, "b.md": PAGE, "c.md": PAGE})
    await bench.run()
    before = (await ask(bench)).evidence[0]
    assert (before.citation.path, [place.path for place in before.also_at]) == ("a.md", ["b.md", "c.md"])
    if lost == "deleted":
        bench.delete("a.md")
    else:
        bench.write("a.md", "# Deploy\n")
    bench.write("c.md", f"Above.\n\n{PAGE}")
    pack = await ask(bench)
    (item,) = pack.evidence
    assert (item.citation.path, item.citation.freshness, item.text) == ("b.md", "fresh", before.text)
    assert [(place.path, place.line_start) for place in item.also_at] == [("c.md", 7)]
    assert (item.score, item.chunk_ids != before.chunk_ids) == (before.score, True)
    assert codes(pack) == ["index-stale"]


async def test_other_places_that_are_gone_or_edited_are_left_out(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, dict.fromkeys(("a.md", "b.md", "c.md"), PAGE))
    await bench.run()
    bench.delete("b.md")
    bench.write("c.md", PAGE.replace("wait a minute", "wait an hour"))
    (item,) = (await ask(bench)).evidence
    assert (item.citation.freshness, item.also_at) == ("fresh", ())


async def test_links_that_led_to_a_passage_are_those_of_the_live_page(tmp_path: Path) -> None:
    pages = {
        "hub.md": "# Hub\n\nAll about zorbhubs.\n\nSee [[target]] for more.\n",
        "target.md": "# Target\n\nQuite other matters.\n",
    }
    bench = Workbench(tmp_path, pages)
    await bench.run()

    async def find_links() -> list[int]:
        pack = await ask(bench, "zorbhubs", expand=Expand(hops=1))
        return [via.line for item in pack.evidence for via in item.via if item.citation.path == "target.md"]

    assert await find_links() == [5]
    bench.write("hub.md", "New.\n\n" + pages["hub.md"])
    assert await find_links() == [7]
    bench.write("hub.md", "# Hub\n\nAll about zorbhubs.\n")
    assert await find_links() == []


async def test_dangling_link_that_was_taken_out_is_no_gap(tmp_path: Path) -> None:
    page = "# Gap\n\nThe zorbgap is told of in [[nowhere]] and in a few more words than that.\n"
    bench = Workbench(tmp_path, {"gap.md": page})
    await bench.run()
    bench.write("gap.md", f"Above.\n\n{page}")
    assert [gap.target for gap in (await ask(bench, "zorbgap")).gaps] == ["nowhere"]
    bench.write("gap.md", page.replace("[[nowhere]]", "a book"))
    assert (await ask(bench, "zorbgap")).gaps == ()


async def test_page_without_a_readable_text_is_stale(bench: Workbench) -> None:
    (bench.root / "deploy.md").write_bytes(b"\xff\xfe\x00")
    pack = await ask(bench)
    assert [item.citation.freshness for item in pack.evidence] == ["stale"]
    assert codes(pack) == ["index-stale", "evidence-stale"]


@pytest.mark.parametrize("replacement", ["folder", "link outside", "hidden link", "file above"])
async def test_what_is_no_page_any_more_is_gone(tmp_path: Path, replacement: str) -> None:
    bench = Workbench(tmp_path, {"ops/deploy.md": PAGE, "other.md": "# Other\n"})
    await bench.run()
    page, outside = bench.root / "ops/deploy.md", tmp_path / "outside.md"
    outside.write_text(PAGE)
    page.unlink()
    if replacement == "folder":
        page.mkdir()
    elif replacement == "link outside":
        page.symlink_to(outside)
    elif replacement == "hidden link":
        bench.write(".trash/deploy.md", PAGE)
        page.symlink_to(bench.root / ".trash/deploy.md")
    else:
        page.parent.rmdir()
        page.parent.write_text("a file")
    pack = await ask(bench)
    assert (pack.evidence, codes(pack)[-1]) == ((), "evidence-stale")


@pytest.mark.parametrize("error", [PermissionError(13, "denied"), OSError(5, "input/output error")])
async def test_page_that_cannot_be_looked_at_is_unknown(bench: Workbench, error: OSError) -> None:
    def refuse(path: str) -> LiveFile:
        raise error

    pack = await ask(bench, live=LiveWiki(read=refuse, dialect="obsidian"))
    assert [item.citation.freshness for item in pack.evidence] == ["unknown"]
    assert codes(pack) == []


async def test_huge_file_is_not_read(bench: Workbench) -> None:
    with (bench.root / "deploy.md").open("wb") as file:
        os.truncate(file.fileno(), MAX_PAGE_BYTES + 1)
    assert [item.citation.freshness for item in (await ask(bench)).evidence] == ["unknown"]


@pytest.mark.parametrize("away", ["missing", "empty"])
async def test_folder_that_is_away_proves_nothing(bench: Workbench, tmp_path: Path, away: str) -> None:
    bench.root.rename(tmp_path / "elsewhere")
    if away == "empty":
        bench.root.mkdir()
    assert [item.citation.freshness for item in (await ask(bench)).evidence] == ["unknown"]


async def test_files_that_hang_do_not_hang_the_answer(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sighting, "_LOOK_SECONDS", 0.2)
    over = threading.Event()

    def hang(path: str) -> LiveFile:
        over.wait(30)
        raise FileNotFoundError(path)

    pack = await ask(bench, live=LiveWiki(read=hang, dialect="obsidian"))
    over.set()
    assert [item.citation.freshness for item in pack.evidence] == ["unknown"]


async def test_replica_without_files_knows_nothing(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"a.md": PAGE, "b.md": PAGE})
    await bench.run()
    (item,) = (await bench.search("zorbback keeper", mode="lexical", expand=Expand(hops=0))).evidence
    assert item.citation.freshness == "unknown"
    assert [place.path for place in item.also_at] == ["b.md"]


async def test_page_that_changes_between_two_looks_is_cited_from_one(bench: Workbench) -> None:
    versions = iter([PAGE.replace("twice", f"{number} times") for number in range(9)])
    seen: list[bytes] = []

    def read(path: str) -> LiveFile:
        seen.append(next(versions).encode())
        return LiveFile(raw=seen[-1], modified=0.0)

    options = {"mode": "lexical", "expand": Expand(hops=0), "live": LiveWiki(read=read, dialect="obsidian")}
    pack = await bench.search("zorbship zorbback quay", **options)
    assert len(seen) == 1
    assert {item.citation.page_sha256 for item in pack.evidence} == {hashlib.sha256(seen[0]).hexdigest()}


async def test_failed_pages_outside_the_scope_are_no_issue_of_the_answer(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"ops/deploy.md": PAGE})
    (bench.root / "broken.md").write_bytes(b"\xff\xfe\x00")
    await bench.run()
    assert "page-issues" in codes(await ask(bench))
    assert "page-issues" not in codes(await ask(bench, path_prefix="ops"))
