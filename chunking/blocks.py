"""What one pass over the blocks of a page leaves: its headings, named blocks, borders and texts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it.token import Token

from chunking.anchors import AnchorReader
from chunking.markdown import Definitions, parse_blocks, parse_inline, split_content
from chunking.model import BlockAnchor
from chunking.structure import Structure, StructureReader

# Without one of these a text holds no link and no tag.
_MARKUP = re.compile(r"[\[<#]")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadingBlock:
    """A heading of the document's outline, on the lines from `first_line` to before `end_line`."""

    content: str
    level: int
    first_line: int
    end_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineText:
    """A text with its tokens, on the lines from `line`."""

    content: str
    line: int
    tokens: list[Token]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """The blocks of a page, without their tokens, which are a hundred times as large as the text."""

    headings: tuple[HeadingBlock, ...]
    anchors: tuple[BlockAnchor, ...]
    structure: Structure
    definitions: Definitions
    texts: tuple[tuple[int, str], ...]

    def read_texts(self) -> Iterator[InlineText]:
        """Parses the texts that may hold links or tags, one after the other, long ones in pieces."""
        for line, content in self.texts:
            for piece in split_content(content):
                tokens = parse_inline(piece, self.definitions)
                yield InlineText(content=piece, line=line, tokens=tokens)
                line += piece.count("\n")

    def read_heading(self, heading: HeadingBlock) -> list[Token]:
        """Parses the content of a heading, the first piece of it if it is overlong."""
        piece = next(split_content(heading.content))
        return parse_inline(piece, self.definitions)


class _Visitor:
    def __init__(self, line_count: int) -> None:
        self.headings: list[HeadingBlock] = []
        self.texts: list[tuple[int, str]] = []
        self.anchors = AnchorReader()
        self.structure = StructureReader(line_count)
        self._heading: Token | None = None

    def visit(self, token: Token) -> None:
        self.structure.visit(token)
        self.anchors.visit(token)
        if token.type == "inline":
            self._read_text(token)
        elif token.type == "heading_open" and token.level == 0:
            self._heading = token

    def _read_text(self, token: Token) -> None:
        line = token.map[0] if token.map else 1
        if self._heading and self._heading.map:
            first_line, end_line = self._heading.map
            level = int(self._heading.tag[1:])
            self.headings.append(
                HeadingBlock(content=token.content, level=level, first_line=first_line, end_line=end_line)
            )
            self._heading = None
        if _MARKUP.search(token.content):
            self.texts.append((line, token.content))


def read_blocks(body: str, first_line: int, line_count: int) -> Blocks:
    """Reads the body of a page, which begins on `first_line` of a file with `line_count` lines."""
    visitor = _Visitor(line_count)
    definitions = parse_blocks(body, first_line, visitor.visit)
    return Blocks(
        headings=tuple(visitor.headings),
        anchors=tuple(visitor.anchors.found),
        structure=visitor.structure.finish(),
        definitions=definitions,
        texts=tuple(visitor.texts),
    )
