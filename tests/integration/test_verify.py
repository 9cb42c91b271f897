"""Citations and quotations against files that changed since, with real tables."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from workbench import Workbench

from retrieval.live import LiveFile, LiveWiki
from retrieval.pack import Citation, EvidencePack
from retrieval.reader import IndexReader
from retrieval.request import Expand
from retrieval.verification import Claim, TextVerdict, Verdict, Verifier, verifier
from retrieval.verification.claims import TOO_LATE, TOO_MUCH

pytestmark = pytest.mark.anyio

PAGE = (
    "# Deploy\n\nIt ships the zorbship to every harbour on the coast.\n\n"
    "## Rollback\n\nRun zorbback twice, wait a minute, and tell the keeper of the log.\n"
    "Then look at the “gauge” until it is still.\n\n"
    "## Hosts\n\n| host | port |\n|---|---|\n| quay | 8080 |\n| mole | 9090 |\n"
)
QUOTED = "Run zorbback twice, wait a minute, and tell the keeper of the log."


@pytest.fixture
async def bench(tmp_path: Path) -> Workbench:
    bench = Workbench(tmp_path, {"ops/deploy.md": PAGE, "other.md": "# Other\n\nNothing of the kind.\n"})
    await bench.run()
    return bench


async def cite(bench: Workbench) -> EvidencePack:
    """Returns a pack with the one passage on rolling back."""
    pack = await bench.search("zorbback keeper", mode="lexical", expand=Expand(hops=0), live=bench.live)
    assert len(pack.evidence) == 1
    return pack


def claim(place: Citation, text: str | None = None) -> Claim:
    return Claim(
        path=place.path,
        text=text,
        text_sha256=place.text_sha256,
        page_sha256=place.page_sha256,
        char_start=place.char_start,
        char_end=place.char_end,
        line_start=place.line_start,
        line_end=place.line_end,
    )


async def verify(bench: Workbench, *claims: Claim, live: LiveWiki | None = None) -> tuple[Verdict, ...]:
    reader = IndexReader(bench.uri)
    try:
        return await Verifier(reader, live=live or bench.live).verify_citations(claims)
    finally:
        reader.close()


async def verify_text(bench: Workbench, text: str) -> TextVerdict:
    reader = IndexReader(bench.uri)
    try:
        return await Verifier(reader, live=bench.live).verify_text(text)
    finally:
        reader.close()


def lines(verdict: Verdict) -> tuple[str, int, int] | None:
    place = verdict.place
    return None if place is None else (place.path, place.span.line_start, place.span.line_end)


@pytest.mark.parametrize("with_text", [True, False])
async def test_citation_holds_moves_changes_and_goes_with_its_page(bench: Workbench, with_text: bool) -> None:
    item = (await cite(bench)).evidence[0]
    cited = claim(item.citation, item.text if with_text else None)

    async def outcome() -> tuple[str, tuple[str, int, int] | None]:
        (verdict,) = await verify(bench, cited)
        return verdict.status, lines(verdict)

    assert await outcome() == ("ok", ("ops/deploy.md", 5, 8))
    bench.write("ops/deploy.md", PAGE + "\nMore below.\n")
    assert await outcome() == ("ok", ("ops/deploy.md", 5, 8))
    bench.write("ops/deploy.md", "Above.\n\n" + PAGE)
    assert await outcome() == ("moved", ("ops/deploy.md", 7, 10))
    bench.write("ops/deploy.md", PAGE.replace("\n", "\r\n"))
    assert await outcome() == ("moved", ("ops/deploy.md", 5, 8))
    bench.write("ops/deploy.md", PAGE.replace("a minute", "an hour"))
    assert await outcome() == ("changed", ("ops/deploy.md", 5, 8))
    bench.write("ops/deploy.md", "# Deploy\n")
    assert await outcome() == ("changed", None)
    bench.delete("ops/deploy.md")
    assert await outcome() == ("deleted", None)


async def test_moved_passage_is_found_by_its_hash_alone(bench: Workbench) -> None:
    place = (await cite(bench)).evidence[0].citation
    bench.write("ops/deploy.md", "# New\n")
    await bench.run()  # the index knows the passage no more
    bench.write("ops/deploy.md", "Above.\n\n" + PAGE)
    (verdict,) = await verify(bench, claim(place))
    assert (verdict.status, lines(verdict)) == ("moved", ("ops/deploy.md", 7, 10))


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("with_text", [True, False])
async def test_renamed_page_is_found_once_it_is_indexed(
    bench: Workbench, edited: bool, with_text: bool
) -> None:
    item = (await cite(bench)).evidence[0]
    cited = claim(item.citation, item.text if with_text else None)
    bench.move("ops/deploy.md", "run/ship.md")
    if edited:
        bench.write("run/ship.md", "Above.\n\n" + PAGE)
    assert [verdict.status for verdict in await verify(bench, cited)] == ["deleted"]
    await bench.run()
    (verdict,) = await verify(bench, cited)
    first = 7 if edited else 5
    assert (verdict.status, lines(verdict)) == ("moved", ("run/ship.md", first, first + 3))


async def test_passage_that_went_to_another_page_is_found(bench: Workbench) -> None:
    item = (await cite(bench)).evidence[0]
    bench.write("ops/deploy.md", "# Deploy\n")
    bench.write("ops/back.md", f"# Back\n\n{item.text}\n")
    await bench.run()
    (verdict,) = await verify(bench, claim(item.citation, item.text))
    assert (verdict.status, lines(verdict)) == ("moved", ("ops/back.md", 3, 6))


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"text": QUOTED, "line_start": 7}, "ok"),
        ({"text": QUOTED, "line_start": 5, "line_end": 8}, "ok"),
        ({"text": "the log.\nThen look", "line_start": 7, "line_end": 8}, "ok"),
        ({"text": "the log. Then look"}, "ok"),
        ({"text": QUOTED, "line_start": 1, "line_end": 3}, "moved"),
        ({"text": QUOTED, "line_start": 700, "line_end": 900}, "moved"),
        ({"text": QUOTED.replace("twice", "thrice")}, "changed"),
        ({"text": QUOTED, "text_sha256": "0" * 64}, "changed"),
        ({"page_sha256": "0" * 64}, "changed"),
        ({"line_start": 5}, "unknown"),
        ({}, "unknown"),
    ],
)
async def test_citation_of_less_is_verified_by_what_there_is(
    bench: Workbench, given: dict[str, object], status: str
) -> None:
    (verdict,) = await verify(bench, Claim(path="ops/deploy.md", **given))
    assert verdict.status == status


async def test_page_as_a_whole_is_verified_by_its_hash(bench: Workbench) -> None:
    page_sha256 = (await cite(bench)).evidence[0].citation.page_sha256
    whole = Claim(path="ops/deploy.md", page_sha256=page_sha256)
    assert [verdict.status for verdict in await verify(bench, whole)] == ["ok"]
    bench.write("ops/deploy.md", PAGE + "more")
    assert [verdict.status for verdict in await verify(bench, whole)] == ["changed"]


async def test_wrong_lines_beside_right_characters_are_corrected(bench: Workbench) -> None:
    place = replace((await cite(bench)).evidence[0].citation, line_start=1, line_end=2)
    (verdict,) = await verify(bench, claim(place))
    assert (verdict.status, lines(verdict)) == ("moved", ("ops/deploy.md", 5, 8))


@pytest.mark.parametrize(
    "path",
    [
        "../secret.md",
        "/etc/passwd",
        "ops/../ops/deploy.md",
        "./ops/deploy.md",
        "ops//deploy.md",
        "ops/deploy.md/",
        "ops/deploy.md\0",
        ".git/notes.md",
        ".git/config",
        "notes/secret.txt",
        "ignored/secret.md",
        "linked.md",
        "folder/secret.md",
        "x" * 5_000 + ".md",
        "",
    ],
)
async def test_what_is_no_page_is_answered_like_a_page_that_is_not_there(
    bench: Workbench, tmp_path: Path, path: str
) -> None:
    secret = "a secret that nobody is to learn"
    for place in (".git/notes.md", ".git/config", "notes/secret.txt", "ignored/secret.md"):
        bench.write(place, secret)
    bench.write(".gitignore", "ignored/\n")
    (tmp_path / "outside").mkdir()
    for place in ("secret.md", "outside/secret.md"):
        (tmp_path / place).write_text(secret)
    (bench.root / "linked.md").symlink_to(tmp_path / "secret.md")
    (bench.root / "folder").symlink_to(tmp_path / "outside")
    verdicts = await verify(bench, Claim(path=path, text=secret), Claim(path="none.md", text=secret))
    assert verdicts[0] == verdicts[1]
    assert verdicts[0].status == "deleted"


async def test_each_page_is_read_once(bench: Workbench) -> None:
    item = (await cite(bench)).evidence[0]
    reads: list[str] = []

    def read(path: str) -> LiveFile:
        reads.append(path)
        return bench.live.read(path)

    bench.write("ops/deploy.md", "Above.\n\n" + PAGE)
    cited = claim(item.citation, item.text)
    verdicts = await verify(bench, *[cited] * 20, live=LiveWiki(read=read, dialect="obsidian"))
    assert {verdict.status for verdict in verdicts} == {"moved"}
    assert reads.count("ops/deploy.md") == 1


async def test_page_that_cannot_be_read_is_unknown(bench: Workbench) -> None:
    def refuse(path: str) -> LiveFile:
        raise PermissionError(13, "denied")

    cited = Claim(path="ops/deploy.md", text=QUOTED)
    (verdict,) = await verify(bench, cited, live=LiveWiki(read=refuse, dialect="obsidian"))
    assert verdict.status == "unknown"


async def test_files_that_hang_do_not_hang_the_answer(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifier, "_SECONDS", 0.2)
    over = threading.Event()

    def hang(path: str) -> LiveFile:
        over.wait(30)
        raise FileNotFoundError(path)

    hanging = Verifier(IndexReader(bench.uri), live=LiveWiki(read=hang, dialect="obsidian"))
    verdicts = await hanging.verify_citations([Claim(path="ops/deploy.md", text=QUOTED)])
    found = await hanging.verify_text(f"“{QUOTED}” (ops/deploy.md)")
    over.set()
    assert [*verdicts, *(quote.verdict for quote in found.quotes)] == [TOO_LATE, TOO_LATE]


async def test_what_there_is_no_processor_time_for_is_unknown(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent = iter([0.0, 1.9])
    monkeypatch.setattr("retrieval.verification.effort.time.thread_time", lambda: next(spent, 2.1))
    held = Claim(path="ops/deploy.md", text=QUOTED)
    verdicts = await verify(bench, held, replace(held, text="Run it thrice."), held)
    assert verdicts[0].status == "ok"
    assert verdicts[1:] == (TOO_MUCH, TOO_MUCH)
    monkeypatch.setattr(verifier, "_EFFORT_SECONDS", 0.0)
    found = await verify_text(bench, f"“{QUOTED}” (ops/deploy.md)")
    assert [quote.verdict for quote in found.quotes] == [TOO_MUCH]


async def test_page_that_is_no_text_has_changed(bench: Workbench) -> None:
    (bench.root / "ops/deploy.md").write_bytes(b"\xff\xfe\x00")
    assert [item.status for item in await verify(bench, Claim(path="ops/deploy.md", text=QUOTED))] == [
        "changed"
    ]


async def test_replica_without_files_tells_nothing(bench: Workbench) -> None:
    verifier = Verifier(IndexReader(bench.uri), live=None)
    (verdict,) = await verifier.verify_citations([Claim(path="ops/deploy.md", text=QUOTED)])
    assert verdict.status == "unknown"
    assert [quote.verdict.status for quote in (await verifier.verify_text(f"“{QUOTED}”")).quotes] == [
        "unknown"
    ]


async def test_without_an_index_the_cited_pages_are_looked_at(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"ops/deploy.md": PAGE})
    cited = Claim(path="ops/deploy.md", text=QUOTED, line_start=1)
    assert [verdict.status for verdict in await verify(bench, cited)] == ["moved"]
    found = await verify_text(bench, f"“{QUOTED}” (ops/deploy.md:7)\n\n“{QUOTED}”")
    assert [quote.verdict.status for quote in found.quotes] == ["ok", "unknown"]


@pytest.mark.parametrize(
    ("text", "statuses"),
    [
        (f"As written: “{QUOTED}” (ops/deploy.md:7).", ["ok"]),
        (f'In `ops/deploy.md:5-8` it says: "{QUOTED}"', ["ok"]),
        (f"[[deploy]] has «{QUOTED}».", ["ok"]),
        (f"[[deploy#Rollback|how]]: „{QUOTED}“", ["ok"]),
        (f"[[deploy#Hosts]]: „{QUOTED}“", ["moved"]),
        (f"「{QUOTED}」 see [the page](ops/deploy.md#rollback)", ["ok"]),
        (f"“{QUOTED}” [1](http://127.0.0.1:8123/v1/pages/ops/deploy.md#rollback)", ["ok"]),
        (f"“{QUOTED}” — https://wiki.example.org/ops/deploy.md#L7-L8", ["ok"]),
        (f"“{QUOTED}” (ops/deploy.md:1-3)", ["moved"]),
        (f"“{QUOTED}” (other.md:3)", ["moved"]),
        (f"“{QUOTED}”", ["ok"]),
        ("“Run zorbback thrice, wait a minute, and tell the keeper.” (ops/deploy.md:7)", ["changed"]),
        ("“Run zorbback thrice and never tell.” (ops/gone.md:7)", ["deleted"]),
        ("“Nobody ever wrote a thing like this.”", ["unknown"]),
        (
            "> Run zorbback twice, wait a minute,\n> and tell the keeper of the log.\n\nops/deploy.md:7",
            ["ok"],
        ),
        (f"> {QUOTED}\n> — [[deploy]]", ["ok"]),
        ("See ops/deploy.md:13-14:\n\n```\n| host | port |\n|---|---|\n```", ["moved"]),
        ("See ops/deploy.md:\n\n```\n| host | port |\n|---|---|\n```", ["ok"]),
        ('```\nprint("code of no page, uncited")\n```', []),
        ('Say "OK" and “yes”.', []),
        ('“look at the "gauge" until” (ops/deploy.md:8)', ["ok"]),
        ("“Run zorbback twice … tell the keeper of the log” (ops/deploy.md)", ["ok"]),
        ("“Run zorbback twice, wait a minute,” it says (ops/deploy.md:7).", ["ok"]),
        (
            f"“{QUOTED}” (ops/deploy.md:7), and “Nothing of the kind.” (other.md:3)",
            ["ok", "ok"],
        ),
        (f'other.md says "Nothing of the kind." and ops/deploy.md:7 says "{QUOTED}"', ["ok", "ok"]),
        ("No quotation at all in ops/deploy.md:7.", []),
    ],
)
async def test_quotations_of_a_text_are_held_against_what_it_cites(
    bench: Workbench, text: str, statuses: list[str]
) -> None:
    found = await verify_text(bench, text)
    assert [quote.verdict.status for quote in found.quotes] == statuses


async def test_quotation_of_a_page_with_blanks_in_its_name(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"ops/How to deploy.md": PAGE, "deploy.md": "# Other\n"})
    await bench.run()
    found = await verify_text(bench, f"“{QUOTED}”, says ops/How to deploy.md:7.")
    (quote,) = found.quotes
    assert quote.cited is not None
    assert (quote.cited.target, quote.verdict.status) == ("ops/How to deploy.md", "ok")


async def test_changed_quotation_is_shown_what_is_like_it(bench: Workbench) -> None:
    found = await verify_text(bench, f"“{QUOTED.replace('twice', 'thrice')}” (ops/deploy.md)")
    (quote,) = found.quotes
    assert (quote.verdict.status, lines(quote.verdict)) == ("changed", ("ops/deploy.md", 7, 7))


async def test_most_quotations_of_a_text_are_counted(bench: Workbench) -> None:
    found = await verify_text(bench, "“This is a quotation of nothing at all.”\n\n" * 103)
    assert (len(found.quotes), found.left_out) == (100, 3)
