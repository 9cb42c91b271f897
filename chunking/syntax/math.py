"""Math `$inline$` and in blocks, `$$` to `$$`; a price is none, and a lone marker hides no heading."""

from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from mdit_py_plugins.dollarmath.index import math_block_dollar, math_inline_dollar

_MARKER: Final = "$$"
_read_within = math_block_dollar(allow_labels=False, allow_blank_lines=False)


def extend(parser: MarkdownIt) -> None:
    """Adds both rules."""
    read_inline = math_inline_dollar(allow_space=False, allow_digits=False, allow_double=True)
    parser.inline.ruler.before("escape", "math_inline", read_inline)
    parser.block.ruler.before("fence", "math_block", _read_block)


def _read_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Looks for the end within the paragraph: the rule would go on to that of the list, from every item."""
    if not state.src.startswith(_MARKER, state.bMarks[start_line] + state.tShift[start_line]):
        return False
    line = start_line + 1
    while line < end_line and not state.isEmpty(line) and state.sCount[line] >= state.blkIndent:
        line += 1
    return _read_within(state, start_line, line, silent)
