"""Where the text of a page may be cut, and how well: the borders of its blocks by line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
import numpy.typing as npt
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
_FILLED = re.compile(r"\S")
_NO_BLOCKS = frozenset({"inline", "thead_open", "tbody_open", "th_open", "td_open"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table by its lines: the header from `first_line`, rows from `row_line` to before `end_line`."""

    first_line: int
    row_line: int
    end_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """The tables, and by line the strength of the border before it; -1 where no block begins."""

    strengths: npt.NDArray[np.int16]
    tables: tuple[Table, ...]


class StructureReader:
    """Reads the borders off the blocks of a page with that many lines."""

    def __init__(self, line_count: int) -> None:
        # Lines count from 1, and a fence without an end has its end behind the last line.
        self._strengths = np.full(line_count + 3, -1, dtype=np.int16)
        self._tables: list[Table] = []
        self._table: Table | None = None
        self._glued: list[int] = []

    def visit(self, token: Token) -> None:
        """Reads an opener or a leaf."""
        if not token.map or token.type in _NO_BLOCKS:
            return
        first, end = token.map
        self._strengths[first] = max(self._strengths[first], _OUTERMOST - token.level)
        if token.type == "fence":
            self._glued.extend(_markers(token, first, end))
        elif token.type == "table_open":
            self._close_table()
            self._table = Table(first_line=first, row_line=first + 2, end_line=first + 2)
            self._glued.extend((first + 1, first + 2))
        elif token.type == "tr_open" and self._table:
            self._table = replace(self._table, end_line=max(end, self._table.row_line))

    def finish(self) -> Structure:
        """Returns what was read; a border that must not be cut wins over a block that begins there."""
        self._close_table()
        self._strengths[self._glued] = Strength.GLUED
        return Structure(strengths=self._strengths, tables=tuple(self._tables))

    def _close_table(self) -> None:
        if self._table:
            self._tables.append(self._table)
            self._table = None


def _markers(fence: Token, first: int, end: int) -> Iterator[int]:
    """Yields lines to glue: a fence's markers keep a line of code, an empty fence keeps what precedes it."""
    code = fence.content.removesuffix("\n")
    filled = _FILLED.search(code)
    yield first + 1 + code.count("\n", 0, filled.start()) if filled else first
    if end - first - 1 > (code.count("\n") + 1 if fence.content else 0):
        yield end - 1
