"""Blocks that carry a name: `^block-id` at the end of a paragraph, or alone below the block it names.

On the line right below a table, the name is a row of the table to CommonMark.
"""

from markdown_it.token import Token

from chunking.model import BlockAnchor
from chunking.visible import BLOCK_ID

_NAMEABLE = frozenset({"paragraph_open", "heading_open"})


class AnchorReader:
    """Collects the names in the order of the file; `line` is the first line of the block that is named."""

    def __init__(self) -> None:
        self.found: list[BlockAnchor] = []
        # The first line of the block last seen on each level; a deeper level begins anew in every container.
        self._previous: dict[int, int] = {}
        # Lines of the block that is being read (None: a row) and of the one before it, until its text comes.
        self._open: tuple[int | None, int] | None = None
        self._table = 0
        self._table = 0
        self._in_row = False

    def visit(self, token: Token) -> None:
        """Reads an opener, a leaf or the text of the opener before it."""
        if token.type == "inline":
            self._name(token.content)
        elif token.map:
            line = token.map[0]
            if token.type in _NAMEABLE:
                self._open = line, self._previous.get(token.level, line)
            elif token.type == "table_open":
                self._table = line
            elif token.type == "tr_open":
                self._open = None, self._table
            self._previous[token.level] = line
            self._previous.pop(token.level + 1, None)

    def _name(self, content: str) -> None:
        match = BLOCK_ID.search(content) if self._open else None
        if match and self._open:
            line, previous = self._open
            named = previous if match.start() == 0 else line
            if named is not None:
                self.found.append(BlockAnchor(block_id=match[1], line=named))
        self._open = None
