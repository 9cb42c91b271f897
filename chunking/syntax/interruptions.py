"""Whether a line ends the paragraph before it, asked of every line: most cannot by their first letter."""

from typing import Final

from markdown_it import MarkdownIt
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock

_OPENERS: Final = frozenset("`~>*+-_<#%0123456789")
# Below a line that may be the header of a table.
_RULERS: Final = frozenset("|-:")


def extend(parser: MarkdownIt) -> None:
    """Puts one question before those of all rules; to be called when every rule has been added."""
    ruler = _QuickRuler()
    ruler.__rules__ = parser.block.ruler.__rules__
    parser.block.ruler = ruler


class _QuickRuler(Ruler[RuleFuncBlockType]):
    def getRules(self, chainName: str = "") -> list[RuleFuncBlockType]:
        rules = super().getRules(chainName)
        if not chainName:
            return rules

        def interrupt(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
            if _first(state, start_line) not in _OPENERS and _first(state, start_line + 1) not in _RULERS:
                return False
            return any(rule(state, start_line, end_line, silent) for rule in rules)

        return [interrupt]


def _first(state: StateBlock, line: int) -> str:
    start = state.bMarks[line] + state.tShift[line]
    return state.src[start : start + 1]
