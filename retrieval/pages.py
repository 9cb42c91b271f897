"""Reading pages, sections and links from the index."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from chunking.lines import LineIndex
from chunking.model import Section, Span
from retrieval import schema
from retrieval.errors import PageMissing, SectionMissing
from retrieval.outline import decode_outline
from retrieval.predicates import in_predicate, quote
from retrieval.spelling import spellings
from retrieval.store import Snapshot

_PAGE_COLUMNS = (
    "path",
    "title",
    "aliases",
    "tags",
    "frontmatter",
    "modified",
    "page_sha256",
    "encoding",
    "language",
    "text",
    "outline",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageQuery:
    """A page, or a part of it: a section by heading path or anchor, or a range of lines (1-based, inclusive).

    With `children` a section includes the sections below it.
    """

    path: str
    heading_path: tuple[str, ...] | None = None
    anchor: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    children: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """A verbatim part of a page, with what is known of the page. `lines` is how many the whole page has.

    `encoding` is what the file was read as, see `chunking.DecodedText`; `language` is what its words are
    stemmed by, see `retrieval.language`.
    """

    path: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    frontmatter: dict[str, Any]
    modified: float
    page_sha256: str
    encoding: str
    language: str
    lines: int
    span: Span
    text: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRecord:
    """A link with where it leads. `path` holds it; `target` is as written, `page` the page or asset found."""

    path: str
    line: int
    kind: str
    target: str
    status: str
    page: str | None
    heading_path: tuple[str, ...] | None
    block: str | None
    alias: str | None
    candidates: tuple[str, ...]
    target_line: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLinks:
    """The links of a page in its order, and those of other pages that lead to it.

    `neighbours` are the other pages that it links to, sorted.
    """

    path: str
    links: tuple[LinkRecord, ...]
    backlinks: tuple[LinkRecord, ...]
    neighbours: tuple[str, ...]


class OpenPage:
    """A page as the index holds it, of which several parts can be read."""

    def __init__(self, row: dict[str, Any]) -> None:
        self._row = row
        self._sections = decode_outline(row["outline"]).sections
        self._lines = LineIndex(row["text"])

    def read(self, query: PageQuery) -> PageText:
        """Returns the page or a part of it.

        Raises:
            SectionMissing: The page has no such section or lines.
        """
        row, span = self._row, _find_span(query, self._lines, self._sections)
        return PageText(
            path=row["path"],
            title=row["title"],
            aliases=tuple(row["aliases"]),
            tags=tuple(row["tags"]),
            frontmatter=json.loads(row["frontmatter"]),
            modified=row["modified"],
            page_sha256=row["page_sha256"],
            encoding=row["encoding"],
            language=row["language"],
            lines=self._lines.count,
            span=span,
            text=row["text"][span.char_start : span.char_end],
            sections=self._sections,
        )


async def open_page(snapshot: Snapshot, path: str) -> OpenPage:
    """Returns the page with this path.

    Raises:
        PageMissing: No page has this path; paths are looked up, and no file is opened.
    """
    row = await _read_row(snapshot, path, _PAGE_COLUMNS)
    # A page may have a million lines and fifty thousand sections, which takes longer than others should wait.
    return await asyncio.to_thread(OpenPage, row)


async def read_page(snapshot: Snapshot, query: PageQuery) -> PageText:
    """Returns a page or a part of it as the index holds it.

    Raises:
        PageMissing: No page has this path.
        SectionMissing: The page has no such section or lines.
    """
    return (await open_page(snapshot, query.path)).read(query)


async def read_links(snapshot: Snapshot, path: str) -> PageLinks:
    """Returns the links of a page and those that lead to it.

    Raises:
        PageMissing: No page has this path.
    """
    path = (await _read_row(snapshot, path, ["path"]))["path"]
    outgoing = await _read_records(snapshot, f"path = {quote(path)}")
    incoming = await _read_records(snapshot, f"target_path = {quote(path)}")
    neighbours = {link.page for link in outgoing if link.page and link.status != "asset"} - {path}
    return PageLinks(
        path=path,
        links=outgoing,
        backlinks=tuple(link for link in incoming if link.path != path),
        neighbours=tuple(sorted(neighbours)),
    )


async def _read_row(snapshot: Snapshot, path: str, columns: Sequence[str]) -> dict[str, Any]:
    """Returns the row of the page with this path; spelled otherwise, if there is none as it is written."""
    forms = spellings(path)
    rows = await snapshot.rows("pages", columns=columns, where=in_predicate("path", forms))
    if rows.num_rows == 0:
        raise PageMissing(f"the index has no page {path!r}")
    return min(rows.to_pylist(), key=lambda row: forms.index(row["path"]))


async def _read_records(snapshot: Snapshot, where: str) -> tuple[LinkRecord, ...]:
    found = await snapshot.rows("links", columns=schema.LINKS.names, where=where)
    # There may be tens of thousands, as many as a page has lines.
    return await asyncio.to_thread(_to_records, found)


def _to_records(found: pa.Table) -> tuple[LinkRecord, ...]:
    rows = found.to_pylist()
    rows.sort(key=lambda row: (row["path"], row["position"]))
    return tuple(_to_record(row) for row in rows)


def _to_record(row: dict[str, Any]) -> LinkRecord:
    heading_path = row["target_heading_path"]
    return LinkRecord(
        path=row["path"],
        line=row["line"],
        kind=row["kind"],
        target=row["target"],
        status=row["status"],
        page=row["target_path"],
        heading_path=None if heading_path is None else tuple(heading_path),
        block=row["block"],
        alias=row["alias"],
        candidates=tuple(row["candidates"]),
        target_line=row["target_line"],
    )


def _find_span(query: PageQuery, lines: LineIndex, sections: Sequence[Section]) -> Span:
    if query.heading_path is not None or query.anchor is not None:
        return _section_span(query, sections)
    first, last = query.line_start or 1, min(query.line_end or lines.count, lines.count)
    if first > last:
        wanted = f"{first} to {query.line_end or 'the end'}"
        raise SectionMissing(f"{query.path!r} has lines 1 to {lines.count}, not {wanted}")
    return Span(
        char_start=lines.start_of(first), char_end=lines.start_of(last + 1), line_start=first, line_end=last
    )


def _section_span(query: PageQuery, sections: Sequence[Section]) -> Span:
    for position, section in enumerate(sections):
        if query.heading_path in (None, section.heading_path) and query.anchor in (None, section.anchor):
            last = _last_of(position, sections) if query.children else section
            return Span(
                char_start=section.span.char_start,
                char_end=last.span.char_end,
                line_start=section.span.line_start,
                line_end=last.span.line_end,
            )
    wanted = " > ".join(query.heading_path) if query.heading_path is not None else f"#{query.anchor}"
    raise SectionMissing(f"{query.path!r} has no section {wanted!r}")


def _last_of(position: int, sections: Sequence[Section]) -> Section:
    """Returns the last section below the one at `position`, or that one."""
    last = sections[position]
    for section in sections[position + 1 :]:
        if section.level <= sections[position].level:
            break
        last = section
    return last
