"""Pages, sections and links as JSON."""

from collections.abc import Sequence
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from retrieval.chunks import ChunkRecord
from retrieval.citation import format_time
from retrieval.pages import LinkRecord, PageLinks, PageQuery, PageText
from service.wire.body import HeadingPath, RequestBody
from service.wire.problem import ItemProblem
from service.wire.text import PathText, WikiName

MAX_BATCH = 50
"""Pages that one request may read."""

MAX_BATCH_CHARS = 5_000_000
"""Characters of their text together; what comes after is refused."""

MAX_LINKS = 1_000
"""Links, and backlinks, that one request may read."""

MAX_SECTIONS = 1_000
"""Sections that are listed with a page."""

_MAX_OFFSET = 2**31

T = TypeVar("T")


class PagePart(BaseModel):
    """Which part of a page is meant: a section, a range of lines, or all of it."""

    model_config = ConfigDict(extra="forbid")

    heading_path: HeadingPath | None = Field(
        None, description="headings from the outermost to the section's own; [] is the text before the first"
    )
    anchor: str | None = Field(None, description="the section's anchor, as citations name it")
    line_start: int | None = Field(None, ge=1, description="first line, 1-based")
    line_end: int | None = Field(
        None, ge=1, description="last line, inclusive; lines behind the end are ignored"
    )
    children: bool = Field(True, description="whether a section includes those below it")

    @model_validator(mode="after")
    def _check_part(self) -> Self:
        section = self.heading_path is not None or self.anchor is not None
        if section and (self.line_start is not None or self.line_end is not None):
            raise ValueError("a section and lines exclude each other: give either")
        if self.line_start is not None and self.line_end is not None and self.line_end < self.line_start:
            raise ValueError("line_end must not be before line_start")
        return self

    def to_query(self, path: str) -> PageQuery:
        """Returns the query for this part of the page at `path`."""
        return PageQuery(
            path=path,
            heading_path=None if self.heading_path is None else tuple(self.heading_path),
            anchor=self.anchor,
            line_start=self.line_start,
            line_end=self.line_end,
            children=self.children,
        )


class PageParameters(PagePart):
    """The query parameters of a page."""

    wiki: WikiName = None


class LinksParameters(BaseModel):
    """The query parameters of a page's links: which of them to read."""

    model_config = ConfigDict(extra="forbid")

    wiki: WikiName = None
    limit: int = Field(MAX_LINKS, ge=1, le=MAX_LINKS, description="most entries of each list")
    offset: int = Field(0, ge=0, le=_MAX_OFFSET, description="entries of each list that are left out first")

    def cut(self, entries: Sequence[T]) -> Sequence[T]:
        """Returns the part of a list that is asked for."""
        return entries[self.offset : self.offset + self.limit]


class PageItem(PagePart, RequestBody):
    """A page, or a part of it, in a batch."""

    path: PathText


class BatchBody(RequestBody):
    """A request for several pages, all from one state of the index."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"pages": [{"path": "ops/deploy.md", "anchor": "rollback"}, {"path": "index.md"}]}]
        },
    )

    wiki: WikiName = None
    pages: list[PageItem] = Field(min_length=1, max_length=MAX_BATCH)


class SectionAnswer(BaseModel):
    """A heading of the page with the lines that it spans; `level` 0 is the text before the first."""

    heading_path: list[str]
    level: int
    anchor: str
    line_start: int
    line_end: int


class PageAnswer(BaseModel):
    """A page or a part of it, verbatim. `lines` is how many the whole page has.

    `sections` lists the first ones of the page; `section_count` tells how many there are.
    """

    path: str
    title: str
    aliases: list[str]
    tags: list[str]
    frontmatter: dict[str, Any]
    modified: str
    page_sha256: str
    encoding: str = Field(description="what the file was read as; `utf-8` where it is as it should be")
    language: str = Field(description="code of ISO 639; `und` where the page is too short to tell")
    lines: int
    line_start: int
    line_end: int
    char_start: int
    char_end: int
    text: str
    sections: list[SectionAnswer]
    section_count: int

    @classmethod
    def of(cls, page: PageText) -> Self:
        """Returns the answer that shows `page`."""
        return cls(
            path=page.path,
            title=page.title,
            aliases=list(page.aliases),
            tags=list(page.tags),
            frontmatter=page.frontmatter,
            modified=format_time(page.modified),
            page_sha256=page.page_sha256,
            encoding=page.encoding,
            language=page.language,
            lines=page.lines,
            line_start=page.span.line_start,
            line_end=page.span.line_end,
            char_start=page.span.char_start,
            char_end=page.span.char_end,
            text=page.text,
            sections=[
                SectionAnswer(
                    heading_path=list(section.heading_path),
                    level=section.level,
                    anchor=section.anchor,
                    line_start=section.span.line_start,
                    line_end=section.span.line_end,
                )
                for section in page.sections[:MAX_SECTIONS]
            ],
            section_count=len(page.sections),
        )


class ChunkAnswer(BaseModel):
    """A retrievable passage of a page; `tokens` counts what the embedder sees of it."""

    chunk_id: str
    heading_path: list[str]
    anchor: str
    line_start: int
    line_end: int
    char_start: int
    char_end: int
    text: str
    tokens: int

    @classmethod
    def of(cls, chunk: ChunkRecord) -> Self:
        """Returns the answer that shows `chunk`."""
        return cls(
            chunk_id=chunk.chunk_id,
            heading_path=list(chunk.heading_path),
            anchor=chunk.anchor,
            line_start=chunk.span.line_start,
            line_end=chunk.span.line_end,
            char_start=chunk.span.char_start,
            char_end=chunk.span.char_end,
            text=chunk.text,
            tokens=chunk.tokens,
        )


class BatchItemAnswer(BaseModel):
    """What became of one item: the page, or why there is none."""

    page: PageAnswer | None
    error: ItemProblem | None


class BatchAnswer(BaseModel):
    """One entry for each item that was asked for, in the same order."""

    pages: list[BatchItemAnswer]


class LinkAnswer(BaseModel):
    """A link and where it leads: `target` as written, `page` what was found."""

    line: int
    kind: str
    target: str
    status: str
    page: str | None
    heading_path: list[str] | None
    block: str | None
    alias: str | None
    candidates: list[str]
    target_line: int | None

    @classmethod
    def of(cls, link: LinkRecord) -> Self:
        """Returns the answer that shows `link`."""
        return cls(**_link_fields(link))


class BacklinkAnswer(LinkAnswer):
    """A link of another page; `path` is the page that holds it."""

    path: str

    @classmethod
    def of(cls, link: LinkRecord) -> Self:
        """Returns the answer that shows `link`."""
        return cls(path=link.path, **_link_fields(link))


class LinkTotals(BaseModel):
    """How many there are, shown or not."""

    links: int
    backlinks: int
    neighbours: int


class LinksAnswer(BaseModel):
    """The links of a page, those that lead to it, and the other pages that it links to."""

    path: str
    links: list[LinkAnswer]
    backlinks: list[BacklinkAnswer]
    neighbours: list[str]
    total: LinkTotals

    @classmethod
    def of(cls, links: PageLinks, part: LinksParameters) -> Self:
        """Returns the answer that shows a part of `links`."""
        return cls(
            path=links.path,
            links=[LinkAnswer.of(link) for link in part.cut(links.links)],
            backlinks=[BacklinkAnswer.of(link) for link in part.cut(links.backlinks)],
            neighbours=list(part.cut(links.neighbours)),
            total=LinkTotals(
                links=len(links.links), backlinks=len(links.backlinks), neighbours=len(links.neighbours)
            ),
        )


def _link_fields(link: LinkRecord) -> dict[str, Any]:
    return {
        "line": link.line,
        "kind": link.kind,
        "target": link.target,
        "status": link.status,
        "page": link.page,
        "heading_path": None if link.heading_path is None else list(link.heading_path),
        "block": link.block,
        "alias": link.alias,
        "candidates": list(link.candidates),
        "target_line": link.target_line,
    }
