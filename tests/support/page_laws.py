"""Laws that hold for any page, checked against an oracle that shares no code with the parser.

`check_page` raises AssertionError where one is broken. It is what the properties of hypothesis and the
fuzzing script have in common.
"""

import re
from collections.abc import Iterator
from typing import Final

from fakes import FakeCounter

from chunking import ChunkingOptions, DecodedText, Dialect, Page, UndecodablePage, decode, parse_page

COUNTER: Final = FakeCounter(window=64)
DIALECTS: Final[tuple[Dialect, ...]] = ("obsidian", "dendron", "logseq")


def parse(text: str, dialect: Dialect = "obsidian") -> Page:
    return parse_page("folder/page.md", text, options=ChunkingOptions(dialect=dialect), counter=COUNTER)


def check_page(text: str, dialect: Dialect) -> Page:
    """Parses a page and checks every law that needs nothing else."""
    page = parse(text, dialect)
    numbers = list(number_lines(text))
    check_tiling(text, page)
    check_chunks(text, page, numbers)
    check_sections(text, page, numbers)
    check_places(text, page, numbers)
    assert parse(text, dialect) == page
    return page


def number_lines(text: str) -> Iterator[int]:
    """Yields for each character the line on which an editor shows it, and at last that of the end."""
    line = 1
    for index, character in enumerate(text):
        yield line
        if character == "\n" or (character == "\r" and text[index + 1 : index + 2] != "\n"):
            line += 1
    yield line


def check_tiling(text: str, page: Page) -> None:
    """Every character that is not blank, and not metadata, is in exactly one chunk."""
    position = page.frontmatter.char_end
    for chunk in page.chunks:
        assert not text[position : chunk.span.char_start].strip()
        position = chunk.span.char_end
    assert not text[position:].strip()


def check_chunks(text: str, page: Page, numbers: list[int]) -> None:
    """Chunks are verbatim, name their lines, keep the budget, lie in their sections, and are called apart."""
    for ordinal, chunk in enumerate(page.chunks):
        span, section = chunk.span, page.sections[chunk.section]
        assert chunk.ordinal == ordinal
        assert chunk.text == text[span.char_start : span.char_end] == chunk.text.rstrip() != ""
        assert span.line_start == numbers[span.char_start]
        assert span.line_end == numbers[span.char_end - 1]
        assert chunk.tokens == COUNTER.count([chunk.embedded_text])[0] <= COUNTER.window
        assert len(chunk.text) <= 16 * COUNTER.window
        assert "\0" not in chunk.embedded_text
        assert chunk.embedded_text.strip() or not chunk.text.replace("\0", "").strip()
        assert section.span.char_start <= span.char_start < span.char_end <= section.span.char_end
        assert chunk.heading_path == section.heading_path
    assert len({chunk.chunk_id for chunk in page.chunks}) == len(page.chunks)
    assert {chunk.section for chunk in page.chunks} == set(range(len(page.sections)))


def check_sections(text: str, page: Page, numbers: list[int]) -> None:
    """Sections follow on each other and open with a heading; their parents are of lower level."""
    position = page.frontmatter.char_end
    open_: list[tuple[int, str]] = []
    for section in page.sections:
        span = section.span
        assert not text[position : span.char_start].strip()
        assert span.line_start == numbers[span.char_start]
        position = span.char_end
        if section.level:
            open_ = [entry for entry in open_ if entry[0] < section.level]
            open_.append((section.level, section.heading_path[-1]))
            check_heading(text[span.char_start : span.char_end], section.level)
        assert section.heading_path == tuple(name for _, name in open_)
    assert not text[position:].strip()
    anchors = [section.anchor for section in page.sections if section.anchor]
    assert len(set(anchors)) == len(anchors)


def check_heading(text: str, level: int) -> None:
    """A section opens with `#` signs as many as its level, or has an underline of `=` or `-` below it."""
    lines = re.split(r"\r\n|\r|\n", text)
    atx = re.match(r" {0,3}(#{1,6})(?:[ \t]|$)", lines[0])
    if atx:
        assert len(atx[1]) == level
    else:
        underline = {1: r" {0,3}=+[ \t]*", 2: r" {0,3}-+[ \t]*"}[level]
        assert any(re.fullmatch(underline, line) for line in lines[1:])


def check_places(text: str, page: Page, numbers: list[int]) -> None:
    """Links, names of blocks and issues are on lines of the page; a wikilink stands on its line."""
    last = numbers[-1]
    lines = re.split(r"\r\n|\r|\n", text.replace("\0", "\ufffd"))
    # A Markdown link may have a wikilink as its target, which stands on another line or in a definition.
    elsewhere = re.search(r"\][:(]", text)
    for link in page.links:
        assert 1 <= link.line <= last
        if link.kind == "wikilink" and link.line > page.frontmatter.line_end and not elsewhere:
            assert link.target in lines[link.line - 1]
    assert all(1 <= block.line <= last for block in page.blocks)
    assert all(issue.line is None or 1 <= issue.line <= last for issue in page.issues)
    assert 0 <= page.frontmatter.line_end <= last


def describe_structure(page: Page) -> object:
    """Returns what must not depend on how the lines of a page end."""
    return (
        [(section.heading_path, section.span.line_start, section.span.line_end) for section in page.sections],
        [(link.line, link.kind, link.target, link.alias, link.heading_path) for link in page.links],
        page.tags,
        page.blocks,
        page.title,
        page.aliases,
        page.frontmatter.line_end,
        sorted(page.frontmatter.values),
        page.issues,
    )


def check_line_ends(text: str, dialect: Dialect) -> None:
    """LF, CRLF and CR make the same page."""
    unified = re.sub(r"\r\n?", "\n", text)
    expected = describe_structure(parse(unified, dialect))
    for ending in ("\r\n", "\r"):
        assert describe_structure(parse(unified.replace("\n", ending), dialect)) == expected


def check_bytes(raw: bytes) -> DecodedText | None:
    """Bytes are a text or an undecodable page, and nothing else happens."""
    try:
        decoded = decode(raw)
    except UndecodablePage:
        return None
    assert (
        not decoded.text.startswith("\ufeff") or raw.count(b"\xef\xbb\xbf") > 1 or decoded.encoding != "utf-8"
    )
    if decoded.encoding == "utf-8":
        assert decoded.text.encode() == raw.removeprefix(b"\xef\xbb\xbf")
    return decoded
