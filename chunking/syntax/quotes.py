"""Bounds how deep quotes nest: every line of a page is read again for each quote around it."""

from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote

_MAX_QUOTES: Final = 10
_DEPTH: Final = "quote_depth"


def extend(parser: MarkdownIt) -> None:
    """Wraps the rule; a ">" that is nested deeper is text."""
    parser.block.ruler.at(
        "blockquote", _read_quote, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


def _read_quote(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    depth: int = state.env.get(_DEPTH, 0)
    if depth == _MAX_QUOTES:
        return False
    if silent:
        return blockquote(state, start_line, end_line, silent)
    state.env[_DEPTH] = depth + 1
    found = blockquote(state, start_line, end_line, silent)
    state.env[_DEPTH] = depth
    return found
