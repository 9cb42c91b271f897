"""The values that flow out of chunking: a `Page` with its sections, chunks, links and anchors.

Offsets are Unicode code points in the decoded text (byte order mark removed, line ends as on disk).
Lines are 1-based and inclusive; LF, CRLF and CR end a line and nothing else does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

LinkKind = Literal["wikilink", "embed", "markdown", "reference", "autolink"]
"""How a link is written. Images count as `embed`."""

Dialect = Literal["obsidian", "dendron", "logseq"]
"""Where wikis differ: `[[target|alias]]` (obsidian, logseq) or `[[alias|target]]` (dendron)."""

Scalar = str | int | float | bool
"""A frontmatter value that can be filtered on. Dates are ISO 8601 text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A range of a page: `text[char_start:char_end]`, which touches `line_start..line_end`."""

    char_start: int
    char_end: int
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontmatter:
    """The metadata block of a page.

    `values` holds scalars and lists of scalars by key, in the order of the file; nested values are left out.
    `char_end` and `line_end` say where the block stops (both 0 where there is none) and the body begins.
    """

    title: str | None = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    values: Mapping[str, Scalar | tuple[Scalar, ...]] = field(default_factory=dict)
    char_end: int = 0
    line_end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading of the document's outline with the text up to the next heading.

    `heading_path` is the visible text of the heading and its ancestors; it is empty for the text before
    the first heading, whose `level` is 0. `anchor` is the heading's slug, unique in its page, or "".
    """

    heading_path: tuple[str, ...]
    level: int
    anchor: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockAnchor:
    """A block that `^block_id` names, with the first line of that block."""

    block_id: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link as it is written; where it leads is decided by `indexer.resolver`.

    `target` is the raw target without alias ("Page#Heading"), `page` its part before the first "#" (may be
    ""), `heading` the part behind it, `block` the name behind "#^"; those of a Markdown link are decoded.
    An external target is kept whole in `page`. `heading_path` is the section that holds the link.
    """

    line: int
    kind: LinkKind
    target: str
    page: str
    heading: str | None = None
    block: str | None = None
    alias: str | None = None
    heading_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A retrievable passage: a verbatim range of one section of one page.

    `ordinal` counts the chunks of a page from 0; `section` is the index of its section in `Page.sections`.
    `embedded_text` is what the embedder sees; `tokens` counts it, special tokens included.
    `table_header` repeats the header of a table that began in an earlier chunk; it is never part of `text`.
    `heading_only` marks a section that has no text below its heading.
    """

    chunk_id: str
    ordinal: int
    section: int
    heading_path: tuple[str, ...]
    anchor: str
    span: Span
    text: str
    text_sha256: str
    embedded_text: str
    tokens: int
    table_header: str | None = None
    heading_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageIssue:
    """Something wrong with a page that does not keep it out of the index."""

    line: int | None
    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A wiki file, parsed. `path` is relative to the root, with "/" and exactly as on disk.

    `title` is what a person would call the page: frontmatter title, else a level-1 heading that opens the
    page, else the file name without its extension. `tags` joins the frontmatter's and the text's own.
    """

    path: str
    title: str
    frontmatter: Frontmatter
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    sections: tuple[Section, ...]
    chunks: tuple[Chunk, ...]
    links: tuple[Link, ...]
    blocks: tuple[BlockAnchor, ...]
    issues: tuple[PageIssue, ...]
