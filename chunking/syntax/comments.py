"""Comments: `<!-- -->` within text, Obsidian's `%%inline%%`, and its blocks.

A block goes from a line that begins with `%%` to one that ends with it.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

_MARKER = "%%"
_HTML_COMMENT = re.compile(r"<!--(?:-?>|.*?-->)", re.DOTALL)


def extend(parser: MarkdownIt) -> None:
    """Adds the rules; a marker that is never closed is plain text."""
    parser.inline.ruler.before("html_inline", "html_comment", _read_html_comment)
    parser.inline.ruler.before("link", "comment", _read_inline_comment)
    parser.block.ruler.before(
        "fence",
        "comment_block",
        _read_comment_block,
        {"alt": ["paragraph", "reference", "blockquote", "list"]},
    )


def _read_inline_comment(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith(_MARKER, state.pos):
        return False
    end = state.src.find(_MARKER, state.pos + len(_MARKER), state.posMax)
    if end < 0:
        return False
    if not silent:
        state.push("comment", "", 0).content = state.src[state.pos + len(_MARKER) : end]
    state.pos = end + len(_MARKER)
    return True


def _read_html_comment(state: StateInline, silent: bool) -> bool:
    """Reads a comment up to the next "-->"; the parser's own rule may scan to the end from every opener."""
    if not state.src.startswith("<!--", state.pos):
        return False
    match = None
    if state.html_terminator_last("->") > state.pos + 3 or state.src.startswith("<!-->", state.pos):
        match = _HTML_COMMENT.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    if not silent:
        state.push("comment", "", 0).content = match[0]
    state.pos = match.end()
    return True


def _read_comment_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    first = _line(state, start_line)
    if state.is_code_block(start_line) or not first.startswith(_MARKER) or _MARKER in first[len(_MARKER) :]:
        return False
    closing = _find_closing(state, start_line, end_line)
    if closing is None:
        return False
    if not silent:
        token = state.push("comment_block", "", 0)
        token.map = [start_line, closing + 1]
        state.line = closing + 1
    return True


def _find_closing(state: StateBlock, start_line: int, end_line: int) -> int | None:
    """Finds the line with the next marker, if the marker ends it and the container goes on until there."""
    # Where a search has come to this end in vain, one from further down does so too: without this memory,
    # a page of openers would be quadratic.
    futile: dict[int, int] = state.env.setdefault("futile_comment_searches", {})
    if start_line >= futile.get(end_line, end_line):
        return None
    for line in range(start_line + 1, end_line):
        text = _line(state, line)
        if text and state.sCount[line] < state.blkIndent:
            return None
        if _MARKER in text:
            return line if text.endswith(_MARKER) else None
    futile[end_line] = start_line
    return None


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()
