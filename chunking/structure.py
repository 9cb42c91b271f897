"""Where the text of a page may be cut, and how well: the borders of its blocks by line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from markdown_it.token import Token


class Strength(IntEnum):
    """How much a border separates; blocks are above all of these, the outer ones highest."""

    GLUED = 0
    CODE_POINT = 1
    GRAPHEME = 2
    WORD = 3
    SENTENCE = 4
    LINE = 5
    BLANK_LINE = 6
    BLOCK = 7


# Blocks nest at most as deep as the parser follows them, so an outer block always stays above an inner one.
_OUTERMOST = Strength.BLOCK + 200
_NO_BLOCKS = frozenset({"inline", "thead_open", "tbody_open", "th_open", "td_open"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table by its lines: the header from `first_line`, rows from `row_line` to before `end_line`."""

    first_line: int
    row_line: int
    end_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """The tables, and the strength of the border before lines that begin a block or must not be cut off."""

    strengths: dict[int, int]
    tables: tuple[Table, ...]


def read_structure(tokens: Sequence[Token]) -> Structure:
    """Reads the borders off the block tokens of a page."""
    strengths: dict[int, int] = {}
    tables: list[Table] = []
    glued: list[int] = []
    for token in tokens:
        if not token.map or token.nesting < 0 or token.type in _NO_BLOCKS:
            continue
        first, end = token.map
        strengths[first] = max(strengths.get(first, 0), _OUTERMOST - token.level)
        if token.type == "fence":
            glued.extend(_markers(token, first, end))
        elif token.type == "table_open":
            tables.append(Table(first_line=first, row_line=first + 2, end_line=end))
            glued.extend((first + 1, first + 2))
    strengths.update((line, int(Strength.GLUED)) for line in glued)
    return Structure(strengths=strengths, tables=tuple(tables))


def _markers(fence: Token, first: int, end: int) -> Iterator[int]:
    """Yields lines to glue: a fence's markers keep a line of code, an empty fence keeps what precedes it."""
    code = fence.content.removesuffix("\n").split("\n") if fence.content else []
    filled = next((number for number, line in enumerate(code) if line.strip()), None)
    yield first if filled is None else first + 1 + filled
    if end - first - 1 > len(code):
        yield end - 1
