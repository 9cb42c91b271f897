"""Laws of repaired passages that hold for any page and any edit of it."""

import hashlib

from fakes import FakeCounter
from hypothesis import example, given
from hypothesis import strategies as st

from chunking.lines import LineIndex
from chunking.model import Chunk, Page
from chunking.options import ChunkingOptions
from chunking.page import parse_page
from retrieval.candidate import Candidate
from retrieval.evidence import assemble
from retrieval.freshness import FreshnessCheck
from retrieval.live import LiveFile, look_at
from retrieval.passages import select_passages
from retrieval.repair import ChangedPage
from retrieval.repair.likeness import compare_texts
from retrieval.sighting import Sighting

COUNTER = FakeCounter(window=24)
WORDS = st.sampled_from(["zorb", "back", "twice", "port", "8080", "中文", "é", "😀", "a.", "b!", "- c"])
LINES = st.one_of(
    st.lists(WORDS, min_size=1, max_size=9).map(" ".join),
    st.sampled_from(
        ["", "", "# One", "## Two", "## Two", "```", "| a | b |", "|---|---|", "| 1 | 2 |", "---"]
    ),
)
BREAKS = st.sampled_from(["\n", "\n", "\r\n", "\r"])
PLAIN = st.lists(st.sampled_from(["zorb", "back", "port", "中文"]), min_size=2, max_size=9).map(" ".join)


@st.composite
def draw_edits(draw: st.DrawFn) -> tuple[str, str]:
    """Returns a page and what becomes of it by a few edits of its lines."""
    lines = draw(st.lists(LINES, min_size=1, max_size=30))
    edited = list(lines)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(edited)))
        edited[at : at + draw(st.integers(0, 3))] = draw(st.lists(LINES, max_size=3))
    if draw(st.booleans()):
        edited = [line.replace("zorb", "zorg") for line in edited]
    return draw(BREAKS).join(lines), draw(BREAKS).join(edited)


def parse(text: str) -> Page:
    return parse_page("p.md", text, options=ChunkingOptions(), counter=COUNTER)


def propose(chunk: Chunk, text: str, path: str = "p.md") -> Candidate:
    return Candidate(
        chunk_id=chunk.chunk_id,
        page_id=path,
        path=path,
        title="P",
        heading_path=chunk.heading_path,
        anchor=chunk.anchor,
        ordinal=chunk.ordinal,
        section=chunk.section,
        span=chunk.span,
        text=chunk.text,
        text_sha256=chunk.text_sha256,
        page_sha256=hashlib.sha256(text.encode()).hexdigest(),
        tokens=chunk.tokens,
        modified=0.0,
        heading_only=False,
        score=0.5,
    )


@given(draw_edits())
def test_what_is_found_is_verbatim_in_one_section_and_enough_of_the_passage(texts: tuple[str, str]) -> None:
    old, new = texts
    page, sections = ChangedPage("p.md", old=old, new=new, dialect="obsidian"), parse(new).sections
    for chunk in parse(old).chunks:
        found = page.find(chunk.span.char_start, chunk.span.char_end)
        if found is None:
            continue
        assert new[found.span.char_start : found.span.char_end] == found.text
        assert found.text.strip()
        assert found.span == LineIndex(new).span(found.span.char_start, found.span.char_end)
        assert found.section in sections
        assert found.section.span.char_start <= found.span.char_start
        assert found.span.char_end <= found.section.span.char_end
        likeness = compare_texts(chunk.text, found.text)
        assert min(likeness.kept, likeness.own) >= 0.5


@given(st.lists(PLAIN, min_size=1, max_size=12), st.floats(0, 1))
@example(["zorb port"] * 6, 0.0)
def test_passage_between_insertions_is_found_where_it_went(paragraphs: list[str], share: float) -> None:
    """However often its text stands in the page, and whichever of these is meant."""
    starts = [sum(len(text) + 2 for text in paragraphs[:number]) for number in range(len(paragraphs))]
    for number, (start, text) in enumerate(zip(starts, paragraphs, strict=True)):
        before = round(share * number)
        new = [*paragraphs[:before], "quite new", *paragraphs[before:], "new below"]
        page = ChangedPage("p.md", old="\n\n".join(paragraphs), new="\n\n".join(new), dialect="obsidian")
        found = page.find(start, start + len(text))
        assert found is not None
        assert (found.text, found.span.char_start) == (text, start + len("quite new\n\n"))


@given(draw_edits(), st.integers(3, 80), st.integers(1, 6))
def test_evidence_is_that_of_the_live_file_or_says_that_it_is_not(
    texts: tuple[str, str], max_tokens: int, k: int
) -> None:
    old, new = texts
    candidates = [propose(chunk, old) for chunk in parse(old).chunks]
    passages = select_passages(candidates, k=k)
    assembled = assemble(passages, max_tokens=max_tokens, page_texts={"p.md": old}, counter=COUNTER)
    raw = new.encode()
    look = look_at(
        "p.md", hashlib.sha256(old.encode()).hexdigest(), lambda _: LiveFile(raw=raw, modified=0.0)
    )
    page = ChangedPage("p.md", old=old, new=new, dialect="obsidian")
    sighting = Sighting(
        looks={"p.md": look}, texts={"p.md": old}, pages={"p.md": page} if look.state == "changed" else {}
    )
    checked = FreshnessCheck(wiki=None, counter=COUNTER, url_base="/").settle(assembled, sighting)
    assert len(checked.evidence) == len(assembled.excerpts)
    assert checked.budget.tokens == sum(COUNTER.count([item.text for item in checked.evidence]))
    assert checked.budget.tokens <= max(max_tokens, assembled.budget.tokens)
    for item, excerpt in zip(checked.evidence, assembled.excerpts, strict=True):
        place = item.citation
        assert place.text_sha256 == hashlib.sha256(item.text.encode()).hexdigest()
        if place.freshness == "stale":
            assert item.text == excerpt.text
            continue
        assert place.freshness == ("fresh" if old == new else "repaired")
        assert new[place.char_start : place.char_end] == item.text
        span = LineIndex(new).span(place.char_start, place.char_end)
        assert (place.line_start, place.line_end) == (span.line_start, span.line_end)
        assert place.page_sha256 == hashlib.sha256(raw).hexdigest()
