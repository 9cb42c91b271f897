"""Footnotes `[^1]: text`, which are text and no definitions of links."""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference


def extend(parser: MarkdownIt) -> None:
    """Keeps the rule for link definitions off footnotes, whose text may hold links itself."""
    parser.block.ruler.at("reference", _read_definition)


def _read_definition(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.src.startswith("[^", state.bMarks[start_line] + state.tShift[start_line]):
        return False
    return reference(state, start_line, end_line, silent)
