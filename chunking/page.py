"""A page, parsed: everything that chunking knows about one text."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from markdown_it.token import Token

from chunking.blocks import read_blocks
from chunking.embedded import hash_text, identify_chunk
from chunking.frontmatter import add_properties, read_frontmatter
from chunking.lines import LineIndex
from chunking.links import read_links
from chunking.logseq import read_properties
from chunking.markdown import parse_markdown
from chunking.model import Chunk, Dialect, Frontmatter, Page, PageIssue, Section
from chunking.options import ChunkingOptions, TokenCounter
from chunking.outline import OutlineEntry, read_outline
from chunking.passages import Passage, PassageWriter
from chunking.sizes import Sizer
from chunking.splitter import Splitter
from chunking.structure import read_structure


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHead:
    """What a page is called, and its sections; both as in `chunking.model.Page`."""

    title: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parsed:
    frontmatter: Frontmatter
    issues: tuple[PageIssue, ...]
    tokens: Sequence[Token]
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
    sections, tokens, frontmatter = parsed.sections, parsed.tokens, parsed.frontmatter
    sizer = Sizer(counter, min(options.max_tokens or counter.window, counter.window))
    structure = read_structure(tokens)
    writer = PassageWriter(text, lines, structure, sizer, frontmatter.title)
    passages = Splitter(text, lines, structure, sizer, writer).split(parsed.outline)
    return Page(
        path=path,
        title=_choose_title(path, frontmatter, sections),
        frontmatter=frontmatter,
        tags=_join_tags(frontmatter, tokens),
        aliases=frontmatter.aliases,
        sections=sections,
        chunks=_make_chunks(path, text, lines, sections, passages),
        links=read_links(tokens, text, lines, frontmatter, sections, options.dialect),
        blocks=read_blocks(tokens),
        issues=parsed.issues,
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
    tokens = parse_markdown(text[body_start:], first_line=frontmatter.line_end + 1)
    outline = read_outline(tokens, text, lines, body_start, dialect)
    return _Parsed(frontmatter=frontmatter, issues=issues, tokens=tokens, outline=outline)


def _choose_title(path: str, frontmatter: Frontmatter, sections: Sequence[Section]) -> str:
    opening = sections[0].heading_path[0] if sections and sections[0].level == 1 else None
    return frontmatter.title or opening or PurePosixPath(path).stem


def _join_tags(frontmatter: Frontmatter, tokens: Sequence[Token]) -> tuple[str, ...]:
    inline = (child.content for token in tokens for child in token.children or () if child.type == "tag")
    return tuple(dict.fromkeys((*frontmatter.tags, *inline)))


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
