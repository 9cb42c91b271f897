"""The one configuration of the Markdown parser."""

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from chunking.syntax import comments, footnotes, positions, tags, wikilinks

# A level of a list takes two of these; the parser gives up on what is nested deeper.
_MAX_NESTING = 100


class _WikiMarkdown(MarkdownIt):
    """Keeps link targets as they are written: the resolver compares them with file names."""

    def normalizeLink(self, url: str) -> str:
        return url

    def normalizeLinkText(self, link: str) -> str:
        return link


def parse_markdown(body: str, first_line: int = 1) -> list[Token]:
    """Parses CommonMark with tables, strikethrough, math, wikilinks, tags and `%%comments%%`.

    `first_line` is the line of the file on which `body` begins. `Token.map` holds lines of the file, from 1:
    the first line of the block and the first line behind it. Inline tokens of links, wikilinks and images
    carry in `meta["position"]` where they begin in the content of their block.
    """
    tokens = _parser().parse(body)
    for token in tokens:
        if token.map:
            start, end = token.map
            token.map = [start + first_line, end + first_line]
    return tokens


@cache
def _parser() -> MarkdownIt:
    parser = _WikiMarkdown("commonmark").enable(["table", "strikethrough"])
    parser.options["maxNesting"] = _MAX_NESTING
    parser.options["store_labels"] = True
    parser.options["inline_definitions"] = True
    # Math stays within a paragraph, so a lone "$$" cannot swallow the headings behind it.
    parser.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        allow_blank_lines=False,
        double_inline=True,
    )
    for extend in (comments.extend, footnotes.extend, wikilinks.extend, tags.extend, positions.extend):
        extend(parser)
    return parser
