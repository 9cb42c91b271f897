"""Asks of each line only those of a dozen rules that can match it by its first letter."""

from typing import Final

from markdown_it import MarkdownIt
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock

# The rules that are not named here look at more than the first letter.
_LETTERS: Final = {
    "blockquote": ">",
    "comment_block": "%",
    "fence": "`~",
    "heading": "#",
    "hr": "*-_",
    "html_block": "<",
    "list": "*+-0123456789",
    "math_block": "$",
    "reference": "[",
}
_OPENERS: Final = frozenset("".join(_LETTERS.values()))
# A table is known by the line below its header.
_TABLE: Final = "table"
_BELOW_HEADER: Final = frozenset("|-:")


def extend(parser: MarkdownIt) -> None:
    """Puts one rule in place of all; to be called when every rule has been added."""
    ruler = _Ruler()
    ruler.__rules__ = parser.block.ruler.__rules__
    parser.block.ruler = ruler


class _Ruler(Ruler[RuleFuncBlockType]):
    def getRules(self, chainName: str = "") -> list[RuleFuncBlockType]:
        if self.__cache__ is None:
            self.__cache__ = {}
        if chainName not in self.__cache__:
            self.__cache__[chainName] = [self._dispatch(chainName)]
        return self.__cache__[chainName]

    def _dispatch(self, chain: str) -> RuleFuncBlockType:
        named = {
            rule.name: rule.fn for rule in self.__rules__ if rule.enabled and (not chain or chain in rule.alt)
        }
        table = named.pop(_TABLE, None)
        by_letter = {
            letter: [rule for name, rule in named.items() if letter in _LETTERS.get(name, letter)]
            for letter in _OPENERS
        }
        rest = [rule for name, rule in named.items() if name not in _LETTERS]

        def read(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
            below = _first(state, start_line + 1)
            if table and below in _BELOW_HEADER and table(state, start_line, end_line, silent):
                return True
            rules = by_letter.get(_first(state, start_line), rest)
            return any(rule(state, start_line, end_line, silent) for rule in rules)

        return read


def _first(state: StateBlock, line: int) -> str:
    start = state.bMarks[line] + state.tShift[line]
    return state.src[start : start + 1]
