"""The one configuration of the Markdown parser, read as a stream of blocks and then block by block."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, Literal

from markdown_it import MarkdownIt
from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from chunking.lines import LINE_END
from chunking.syntax import comments, definitions, dispatch, math, positions, quotes, tags, wikilinks

Definitions = dict[str, Any]
"""The link definitions of a page, as the parser keeps them."""

# A level of a list takes two of these; the parser gives up on what is nested deeper.
_MAX_BLOCKS: Final = 100
# Every open bracket is looked at once for each level.
_MAX_BRACKETS: Final = 20
_MAX_PIECE: Final = 32_768


class _WikiMarkdown(MarkdownIt):
    """Keeps link targets as they are written: the resolver compares them with file names."""

    def normalizeLink(self, url: str) -> str:
        return url

    def normalizeLinkText(self, link: str) -> str:
        return link


class _BlockStream(StateBlock):
    """Hands blocks over instead of keeping them: a list of a million items would take gigabytes."""

    def __init__(
        self, src: str, parser: MarkdownIt, env: Definitions, visit: Callable[[Token], None]
    ) -> None:
        super().__init__(src, parser, env, [])
        self._visit = visit
        # The line of the paragraph last read, and how many lines of blanks its text was stripped of.
        self._stripped = (-1, 0)

    def getLines(self, begin: int, end: int, indent: int, keepLastLF: bool) -> str:
        text = super().getLines(begin, end, indent, keepLastLF)
        self._stripped = begin, text.count("\n", 0, len(text) - len(text.lstrip(MD_TRIM_CHARS)))
        return text

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        self.flush()
        return super().push(ttype, tag, nesting)

    def flush(self) -> None:
        """Hands over the token before, which its rule has filled in by now."""
        for token in self.tokens:
            if token.type == "inline" and token.map and token.map[0] == self._stripped[0]:
                token.map = [token.map[0] + self._stripped[1], token.map[1]]
            self._visit(token)
        self.tokens.clear()


def parse_blocks(body: str, first_line: int, visit: Callable[[Token], None]) -> Definitions:
    """Parses the blocks of CommonMark with tables, math and `%%comments%%`; returns the link definitions.

    `visit` gets the openers and leaves in the order of the file. `first_line` is the line of the file on
    which `body` begins. `Token.map` holds lines of the file, from 1: the first line of the block, and the
    first line behind it, which is not known yet for a block that holds others.
    """

    def number(token: Token) -> None:
        if token.map:
            start, end = token.map
            token.map = [start + first_line, end + first_line]
        if token.nesting >= 0:
            visit(token)

    found = definitions.collect()
    parser = _parser(_MAX_BLOCKS)
    source = LINE_END.sub("\n", body).replace("\0", "\ufffd")
    stream = _BlockStream(source, parser, found, number)
    parser.block.tokenize(stream, 0, stream.lineMax)
    stream.flush()
    return found


def parse_inline(content: str, definitions: Definitions) -> list[Token]:
    """Parses the content of a block: links, wikilinks, tags, code, math, comments, emphasis.

    Tokens of links, wikilinks and images carry in `meta["position"]` where they begin in `content`.
    """
    parser, tokens = _parser(_MAX_BRACKETS), list[Token]()
    return parser.inline.parse(content, parser, definitions, tokens)


def split_content(content: str) -> Iterator[str]:
    """Divides an overlong content at line ends or blanks, so that no construct can take long."""
    start = 0
    while len(content) - start > _MAX_PIECE:
        middle, limit = start + _MAX_PIECE // 2, start + _MAX_PIECE
        end = max(content.rfind("\n", middle, limit), content.rfind(" ", middle, limit)) + 1 or limit
        yield content[start:end]
        start = end
    yield content[start:]


@cache
def _parser(max_nesting: int) -> MarkdownIt:
    parser = _WikiMarkdown("commonmark").enable(["table", "strikethrough"])
    parser.options["maxNesting"] = max_nesting
    parser.options["store_labels"] = True
    parser.options["inline_definitions"] = True
    for extend in (
        comments.extend,
        definitions.extend,
        math.extend,
        quotes.extend,
        wikilinks.extend,
        tags.extend,
        positions.extend,
        dispatch.extend,
    ):
        extend(parser)
    return parser
