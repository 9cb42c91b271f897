"""From candidates to evidence: what is merged, joined, cut and cited."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import pytest
from fakes import FakeCounter

from chunking.model import Span
from retrieval.candidate import Candidate
from retrieval.citation import page_url
from retrieval.evidence import assemble
from retrieval.freshness import Checked, FreshnessCheck
from retrieval.pack import AlsoAt, Scores, Via
from retrieval.passages import select_passages
from retrieval.sighting import UNSEEN

COUNTER = FakeCounter()
PAGE = "# Deploy\n\nfirst step\n\n\nsecond step\r\nthird step\n\nlast 😀 step\n"


def cut(
    text: str,
    *,
    ordinal: int = 0,
    page: str = PAGE,
    page_id: str = "p",
    section: int = 0,
    heading_path: tuple[str, ...] = ("Deploy",),
    heading_only: bool = False,
    score: float = 0.5,
) -> Candidate:
    """Returns the candidate for the first place of `text` in `page`."""
    start = page.index(text)
    before, within = page[:start], text.replace("\r\n", "\n")
    line = before.count("\n") + 1
    return Candidate(
        chunk_id=f"{page_id}-{ordinal}",
        page_id=page_id,
        path=f"{page_id}.md",
        title="Deploy",
        heading_path=heading_path,
        anchor="deploy",
        ordinal=ordinal,
        section=section,
        span=Span(
            char_start=start,
            char_end=start + len(text),
            line_start=line,
            line_end=line + within.count("\n"),
        ),
        text=text,
        text_sha256=hashlib.sha256(text.encode()).hexdigest(),
        page_sha256="page-digest",
        tokens=COUNTER.count([text])[0],
        modified=86_400.5,
        heading_only=heading_only,
        score=score,
        scores=Scores(lexical=score * 10),
    )


FIRST = cut("# Deploy\n\nfirst step", ordinal=0, score=0.3)
SECOND = cut("second step\r\nthird step", ordinal=1, score=0.9)
LAST = cut("last 😀 step", ordinal=2, score=0.2)


def gather(candidates: Sequence[Candidate], *, k: int = 8, max_tokens: int = 1_000) -> Checked:
    assembled = assemble(
        select_passages(candidates, k=k),
        max_tokens=max_tokens,
        page_texts={"p": PAGE, "q": PAGE, "r": PAGE},
        counter=COUNTER,
    )
    return FreshnessCheck(wiki=None, counter=COUNTER, url_base="/pages/").settle(assembled, UNSEEN)


def elsewhere(candidate: Candidate, page_id: str) -> Candidate:
    return replace(
        candidate, chunk_id=f"{page_id}-{candidate.ordinal}", page_id=page_id, path=f"{page_id}.md"
    )


def test_nothing_found_is_no_evidence() -> None:
    assembled = gather([])
    assert assembled.evidence == ()
    assert (assembled.budget.tokens, assembled.budget.truncated) == (0, False)


def test_one_candidate_is_quoted_and_cited() -> None:
    (evidence,) = gather([SECOND]).evidence
    assert (evidence.rank, evidence.chunk_ids, evidence.score) == (1, ("p-1",), 0.9)
    assert evidence.text == "second step\r\nthird step"
    assert evidence.scores == Scores(lexical=9.0)
    citation = evidence.citation
    assert (citation.line_start, citation.line_end) == (6, 7)
    assert PAGE[citation.char_start : citation.char_end] == evidence.text
    assert citation.text_sha256 == SECOND.text_sha256
    assert citation.url == "/pages/p.md#deploy"
    assert citation.modified == "1970-01-02T00:00:00Z"
    assert (citation.commit, citation.freshness) == (None, "unknown")


def test_adjoining_chunks_are_one_passage_with_the_blank_lines_between() -> None:
    (evidence,) = gather([SECOND, LAST, FIRST]).evidence
    assert evidence.text == PAGE.rstrip("\n")
    assert evidence.chunk_ids == ("p-0", "p-1", "p-2")
    assert (evidence.score, evidence.scores) == (0.9, Scores(lexical=9.0))
    assert (evidence.citation.line_start, evidence.citation.line_end) == (1, 9)
    assert evidence.citation.text_sha256 == hashlib.sha256(evidence.text.encode()).hexdigest()


def test_joined_passage_keeps_the_rank_of_its_best_part() -> None:
    other = cut("third step", page_id="o")
    assert [e.chunk_ids for e in gather([SECOND, other, FIRST]).evidence] == [("p-0", "p-1"), ("o-0",)]


@pytest.mark.parametrize(
    "others",
    [
        [FIRST, LAST],
        [FIRST, replace(SECOND, section=1)],
        [FIRST, replace(SECOND, page_id="q", path="q.md")],
    ],
)
def test_chunks_with_something_between_are_not_joined(others: list[Candidate]) -> None:
    assert len(gather(others).evidence) == 2


def test_only_the_first_k_texts_are_taken() -> None:
    assert [e.chunk_ids for e in gather([SECOND, LAST, FIRST], k=2).evidence] == [("p-1", "p-2")]
    assert [e.chunk_ids for e in gather([SECOND, FIRST], k=1).evidence] == [("p-1",)]


def test_twins_are_one_passage_with_all_places() -> None:
    copies = [elsewhere(SECOND, page_id) for page_id in ("r", "q")]
    evidence = gather([SECOND, *copies, LAST], k=2).evidence
    assert [e.chunk_ids for e in evidence] == [("p-1",), ("p-2",)]
    assert evidence[0].also_at == (
        AlsoAt(path="q.md", line_start=6, line_end=7),
        AlsoAt(path="r.md", line_start=6, line_end=7),
    )


def test_copies_leave_room_for_another_text() -> None:
    copies = [elsewhere(SECOND, f"copy{number:02}") for number in range(20)]
    other = cut("last 😀 step", page_id="real")
    assert [e.citation.path for e in gather([*copies, other], k=10).evidence] == ["copy00.md", "real.md"]


def test_copied_neighbours_are_joined_in_every_place() -> None:
    chunks = [SECOND, LAST, elsewhere(SECOND, "q"), elsewhere(LAST, "q")]
    (evidence,) = gather(chunks).evidence
    assert evidence.chunk_ids == ("p-1", "p-2")
    assert evidence.also_at == (AlsoAt(path="q.md", line_start=6, line_end=9),)


def test_bare_heading_gives_way_to_what_is_below_it() -> None:
    page = "# Guide\n\n## Empty\n\n## Full\n\ntext\n"
    guide = cut("# Guide", page=page, heading_path=("Guide",), heading_only=True)
    empty = cut(
        "## Empty", page=page, ordinal=1, section=1, heading_path=("Guide", "Empty"), heading_only=True
    )
    full = cut("## Full\n\ntext", page=page, ordinal=2, section=2, heading_path=("Guide", "Full"))
    assert [e.chunk_ids for e in gather([guide, full, empty]).evidence] == [("p-2",), ("p-1",)]
    assert [e.chunk_ids for e in gather([guide]).evidence] == [("p-0",)]
    assert len(gather([guide, elsewhere(full, "q")]).evidence) == 2


def test_origin_and_link_of_the_best_part_are_kept() -> None:
    via = (Via(source="index.md", line=3, kind="wikilink"),)
    expanded = replace(FIRST, origin="expanded", via=via)
    assert [(e.origin, e.via) for e in gather([expanded]).evidence] == [("expanded", via)]
    assert [(e.origin, e.via) for e in gather([SECOND, expanded]).evidence] == [("direct", ())]


def test_passage_that_does_not_fit_makes_way_for_a_shorter_one() -> None:
    other = cut("third step", page_id="o")
    long = cut("second step\r\nthird step\n\nlast 😀 step", page_id="q")
    assembled = gather([FIRST, long, other], max_tokens=10)
    assert [(e.rank, e.chunk_ids) for e in assembled.evidence] == [(1, ("p-0",)), (2, ("o-0",))]
    assert (assembled.budget.tokens, assembled.budget.truncated) == (10, True)


@pytest.mark.parametrize(
    ("max_tokens", "text", "line_end", "chunks"),
    [
        (12, "# Deploy\n\nfirst step\n\n\nsecond step\r\nthird step", 7, ("p-0", "p-1")),
        (8, "# Deploy\n\nfirst step\n\n\nsecond step", 6, ("p-0", "p-1")),
        (7, "# Deploy\n\nfirst step", 3, ("p-0",)),
        (4, "# Deploy", 1, ("p-0",)),
        (3, "#", 1, ("p-0",)),
        (1, "#", 1, ("p-0",)),
    ],
)
def test_first_passage_over_the_budget_is_cut(
    max_tokens: int, text: str, line_end: int, chunks: tuple[str, ...]
) -> None:
    assembled = gather([FIRST, SECOND, LAST], max_tokens=max_tokens)
    (evidence,) = assembled.evidence
    assert evidence.text == text
    assert (evidence.citation.line_start, evidence.citation.line_end) == (1, line_end)
    assert PAGE[evidence.citation.char_start : evidence.citation.char_end] == text
    assert evidence.citation.text_sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert evidence.chunk_ids == chunks
    assert assembled.budget.truncated


def test_cut_passage_cites_as_many_lines_of_its_copies() -> None:
    chunks = [SECOND, elsewhere(SECOND, "q")]
    (evidence,) = gather(chunks, max_tokens=4).evidence
    assert evidence.text == "second step"
    assert evidence.also_at == (AlsoAt(path="q.md", line_start=6, line_end=6),)


@pytest.mark.parametrize(
    ("path", "anchor", "url"),
    [
        ("ops/deploy.md", "", "/pages/ops/deploy.md"),
        ("a b#c?.md", "d e", "/pages/a%20b%23c%3F.md#d%20e"),
        ("中.md", "", "/pages/%E4%B8%AD.md"),
    ],
)
def test_url_is_encoded(path: str, anchor: str, url: str) -> None:
    assert page_url("/pages/", path, anchor) == url
