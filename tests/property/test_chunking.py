"""Laws that hold for the chunks, links and sections of any page."""

import re

from fakes import FakeCounter
from hypothesis import example, given
from hypothesis import strategies as st

from chunking import ChunkingOptions, LineIndex, Page, parse_page

COUNTER = FakeCounter(window=64)

_noise = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)
_word = st.sampled_from(
    ["alpha", "beta", "end.", "文字。", "\U0001f469\u200d\U0001f467", "e\u0301", "^block", "#tag"]
)
_link = st.sampled_from(
    ["[[Page]]", "[[Page#Part|name]]", "![[a.png]]", "[text](page.md)", "`[[x]]`", "\\[[x]]"]
)
_mark = st.sampled_from(["$x$", "%%", "<b>", "<!--", "-->", "**bold**", "|", "[", "]", "`", "$$"])
_line = st.lists(st.one_of(_word, _link, _mark, _noise), min_size=1, max_size=30).map(" ".join)
_leaf = st.sampled_from(
    ["", "# ", "## ", "###### ", "===", "---", "    ", "\t", "```", "~~~ py", "$$", "%%", "<div>"]
)
_container = st.sampled_from(
    ["", "> ", "- ", "1. ", "  - ", "> > ", "  ```", "| ", "|---|", "[x]: ", "key: ", "+++"]
)
_opener = st.one_of(_leaf, _container)
_ending = st.sampled_from(["\n", "\n", "\n\n", "\r\n", "\r\n\r\n", "\r", "\n \n", "\n\t\n", ""])
_lines = st.lists(st.tuples(_opener, st.one_of(_line, st.just("")), _ending).map("".join), max_size=25)
pages = st.one_of(
    _lines.map("".join), _lines.map("".join), st.text(st.characters(exclude_categories=("Cs",)))
)


def parse(text: str) -> Page:
    return parse_page("folder/page.md", text, options=ChunkingOptions(), counter=COUNTER)


@given(pages)
def test_every_character_that_is_not_blank_is_in_exactly_one_chunk(text: str) -> None:
    page = parse(text)
    position = page.frontmatter.char_end
    for chunk in page.chunks:
        assert not text[position : chunk.span.char_start].strip()
        position = chunk.span.char_end
    assert not text[position:].strip()


@given(pages)
def test_chunks_are_verbatim_and_name_the_lines_they_touch(text: str) -> None:
    for chunk in parse(text).chunks:
        span = chunk.span
        assert chunk.text == text[span.char_start : span.char_end]
        assert chunk.text == chunk.text.rstrip() != ""
        assert span.line_start == 1 + len(re.findall(r"\r\n|\r(?!\n)|\n", text[: span.char_start]))
        assert span.line_end == span.line_start + len(re.findall(r"\r\n?|\n", chunk.text))


@given(pages)
def test_no_embedded_text_is_over_the_budget(text: str) -> None:
    chunks = parse(text).chunks
    assert [chunk.tokens for chunk in chunks] == COUNTER.count([chunk.embedded_text for chunk in chunks])
    assert all(chunk.tokens <= COUNTER.window for chunk in chunks)
    assert all(len(chunk.text) <= 16 * COUNTER.window for chunk in chunks)
    assert all("\0" not in chunk.embedded_text for chunk in chunks)
    assert all(chunk.embedded_text.strip() for chunk in chunks if chunk.text.replace("\0", "").strip())


@given(pages)
def test_chunks_lie_in_their_sections_and_have_names_of_their_own(text: str) -> None:
    page = parse(text)
    assert len({chunk.chunk_id for chunk in page.chunks}) == len(page.chunks)
    assert [chunk.ordinal for chunk in page.chunks] == list(range(len(page.chunks)))
    assert {chunk.section for chunk in page.chunks} == set(range(len(page.sections)))
    for chunk in page.chunks:
        section = page.sections[chunk.section]
        assert section.span.char_start <= chunk.span.char_start < chunk.span.char_end <= section.span.char_end
        assert chunk.heading_path == section.heading_path


@given(pages)
def test_wikilinks_stand_on_their_lines(text: str) -> None:
    lines = LineIndex(text)
    for link in parse(text).links:
        if link.kind == "wikilink":
            line = text[lines.start_of(link.line) : lines.start_of(link.line + 1)]
            assert link.target in line.replace("\0", "\ufffd")


@given(pages)
@example("# A\n\none\n\n## B\n\ntwo ^name\n")
def test_lines_inserted_above_change_no_name(text: str) -> None:
    plain, moved = parse("# Top\n\n" + text), parse("other words\n\n# Top\n\n" + text)
    assert [chunk.chunk_id for chunk in moved.chunks[1:]] == [chunk.chunk_id for chunk in plain.chunks]


@given(st.text(st.characters(codec="utf-8")))
def test_offsets_and_lines_agree(text: str) -> None:
    lines = LineIndex(text)
    for line in range(1, lines.count + 1):
        start, end = lines.start_of(line), lines.start_of(line + 1)
        assert start < end
        assert lines.line_of(start) == lines.line_of(end - 1) == line


@given(pages, st.sampled_from(["\r\n", "\r"]))
def test_line_ends_do_not_matter(text: str, ending: str) -> None:
    unified = re.sub(r"\r\n?", "\n", text)
    assert _shape(parse(unified)) == _shape(parse(unified.replace("\n", ending)))


def _shape(page: Page) -> object:
    return (
        [(section.heading_path, section.span.line_start, section.span.line_end) for section in page.sections],
        [(link.line, link.target) for link in page.links],
        page.tags,
        page.blocks,
        page.title,
    )
