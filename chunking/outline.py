"""The outline of a page: its top-level headings and the text each of them opens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from chunking.blocks import Blocks
from chunking.headings import slugify
from chunking.lines import LineIndex
from chunking.model import Dialect, Section
from chunking.visible import shorten_name, visible_text

MAX_SECTIONS: Final = 50_000
"""Each section is a chunk of its own, so a page of nothing but headings would take gigabytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineEntry:
    """A section and the offset at which the text below its heading begins."""

    section: Section
    body_start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heading:
    text: str
    level: int
    first_line: int
    end_line: int


def read_outline(
    blocks: Blocks, text: str, lines: LineIndex, start: int, dialect: Dialect
) -> tuple[OutlineEntry, ...]:
    """Divides `text[start:]` into sections, each up to the next heading.

    Text before the first heading is a section of its own, with an empty path, if any of it is not blank.
    Headings beyond `MAX_SECTIONS` open none.
    """
    headings = list(_name_headings(blocks, dialect))
    starts = [lines.start_of(heading.first_line) for heading in headings]
    ends = [*starts, len(text)][1:]
    entries: list[OutlineEntry] = []
    first = starts[0] if starts else len(text)
    if text[start:first].strip():
        preamble = Section(heading_path=(), level=0, anchor="", span=lines.span(start, first))
        entries.append(OutlineEntry(section=preamble, body_start=start))
    for heading, path, anchor, begin, end in zip(
        headings, _paths(headings), _anchors(headings), starts, ends, strict=True
    ):
        section = Section(heading_path=path, level=heading.level, anchor=anchor, span=lines.span(begin, end))
        entries.append(OutlineEntry(section=section, body_start=lines.start_of(heading.end_line)))
    return tuple(entries)


def _name_headings(blocks: Blocks, dialect: Dialect) -> Iterator[_Heading]:
    for heading in blocks.headings[:MAX_SECTIONS]:
        yield _Heading(
            text=shorten_name(visible_text(blocks.read_heading(heading), dialect)),
            level=heading.level,
            first_line=heading.first_line,
            end_line=heading.end_line,
        )


def _paths(headings: Sequence[_Heading]) -> Iterator[tuple[str, ...]]:
    """Gives each heading the nearest headings of lower level before it as parents."""
    open_: list[_Heading] = []
    for heading in headings:
        while open_ and open_[-1].level >= heading.level:
            open_.pop()
        open_.append(heading)
        yield tuple(parent.text for parent in open_)


def _anchors(headings: Sequence[_Heading]) -> Iterator[str]:
    """Numbers equal slugs as GitHub does: "fixed", "fixed-1", "fixed-2"."""
    seen: dict[str, int] = {}
    for heading in headings:
        slug = anchor = slugify(heading.text)
        while anchor and anchor in seen:
            seen[slug] += 1
            anchor = f"{slug}-{seen[slug]}"
        seen[anchor] = 0
        yield anchor
