"""A page, parsed: everything that chunking knows about one text."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from chunking.blocks import Blocks, read_blocks
from chunking.embedded import hash_text, identify_chunk
from chunking.frontmatter import add_properties, read_frontmatter
from chunking.lines import LineIndex
from chunking.links import MAX_LINKS, MAX_TAGS, MentionReader
from chunking.logseq import read_properties
from chunking.model import Chunk, Dialect, Frontmatter, Page, PageIssue, Section
from chunking.options import ChunkingOptions, TokenCounter
from chunking.outline import MAX_SECTIONS, OutlineEntry, read_outline
from chunking.passages import Passage, PassageWriter
from chunking.sizes import Sizer
from chunking.splitter import Splitter


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHead:
    """What a page is called, and its sections; both as in `chunking.model.Page`."""

    title: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parsed:
    frontmatter: Frontmatter
    issues: tuple[PageIssue, ...]
    blocks: Blocks
    outline: tuple[OutlineEntry, ...]

    @property
    def sections(self) -> tuple[Section, ...]:
        return tuple(entry.section for entry in self.outline)


def parse_page(path: str, text: str, *, options: ChunkingOptions, counter: TokenCounter) -> Page:
    """Parses one page: `text` as `decode` gives it, `path` relative to the root of the wiki.

    Never raises for any text. The character ranges of the chunks tile the text behind the frontmatter.
    """
    lines = LineIndex(text)
    parsed = _parse(text, lines, options.dialect)
    sections, blocks, frontmatter = parsed.sections, parsed.blocks, parsed.frontmatter
    mentions = MentionReader(sections, options.dialect)
    mentions.read_metadata(frontmatter, text, lines)
    for inline in blocks.read_texts():
        mentions.read_text(inline)
    sizer = Sizer(counter, min(options.max_tokens or counter.window, counter.window))
    writer = PassageWriter(text, lines, blocks.structure, sizer, frontmatter.title)
    passages = Splitter(text, lines, blocks.structure, sizer, writer).split(parsed.outline)
    return Page(
        path=path,
        title=_choose_title(path, frontmatter, sections),
        frontmatter=frontmatter,
        tags=tuple(mentions.tags),
        aliases=frontmatter.aliases,
        sections=sections,
        chunks=_make_chunks(path, text, lines, sections, passages),
        links=tuple(mentions.links),
        blocks=blocks.anchors,
        issues=(*parsed.issues, *_report_excess(blocks, mentions)),
    )


def read_head(path: str, text: str, *, dialect: Dialect) -> PageHead:
    """Reads the title and the sections of a page, as `parse_page` does, without cutting it into chunks."""
    parsed = _parse(text, LineIndex(text), dialect)
    return PageHead(title=_choose_title(path, parsed.frontmatter, parsed.sections), sections=parsed.sections)


def _parse(text: str, lines: LineIndex, dialect: Dialect) -> _Parsed:
    frontmatter, issues = read_frontmatter(text, lines)
    body_start = frontmatter.char_end
    if dialect == "logseq":
        frontmatter = add_properties(frontmatter, read_properties(text[body_start:]))
    blocks = read_blocks(text[body_start:], frontmatter.line_end + 1, lines.count)
    outline = read_outline(blocks, text, lines, body_start, dialect)
    return _Parsed(frontmatter=frontmatter, issues=issues, blocks=blocks, outline=outline)


def _report_excess(blocks: Blocks, mentions: MentionReader) -> Iterator[PageIssue]:
    """Says what a page has too much of; its text is chunked and found all the same."""
    limits = {"tags": MAX_TAGS, "links": MAX_LINKS}
    if len(blocks.headings) > MAX_SECTIONS:
        yield PageIssue(
            line=blocks.headings[MAX_SECTIONS].first_line,
            code="page-excessive",
            detail=f"headings beyond the first {MAX_SECTIONS} open no sections",
        )
    for kind in sorted(mentions.cut):
        detail = f"{kind} beyond the first {limits[kind]} are left out"
        yield PageIssue(line=None, code="page-excessive", detail=detail)


def _choose_title(path: str, frontmatter: Frontmatter, sections: Sequence[Section]) -> str:
    opening = sections[0].heading_path[0] if sections and sections[0].level == 1 else None
    return frontmatter.title or opening or PurePosixPath(path).stem


def _make_chunks(
    path: str,
    text: str,
    lines: LineIndex,
    sections: Sequence[Section],
    passages: Sequence[tuple[Passage, int]],
) -> tuple[Chunk, ...]:
    twins: Counter[tuple[tuple[str, ...], str]] = Counter()
    chunks: list[Chunk] = []
    for ordinal, (passage, tokens) in enumerate(passages):
        section = sections[passage.draft.index]
        chunk_text = text[passage.start : passage.end]
        text_sha256 = hash_text(chunk_text)
        twin = twins[section.heading_path, text_sha256]
        twins[section.heading_path, text_sha256] += 1
        chunks.append(
            Chunk(
                chunk_id=identify_chunk(path, section.heading_path, text_sha256, twin),
                ordinal=ordinal,
                section=passage.draft.index,
                heading_path=section.heading_path,
                anchor=section.anchor,
                span=lines.span(passage.start, passage.end),
                text=chunk_text,
                text_sha256=text_sha256,
                embedded_text=passage.embedded_text,
                tokens=tokens,
                table_header=passage.table_header,
                heading_only=passage.draft.heading_only,
            )
        )
    return tuple(chunks)
