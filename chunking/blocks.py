"""Blocks that carry a name: `^block-id` at the end of a paragraph, or alone below the block it names."""

from collections.abc import Sequence

from markdown_it.token import Token

from chunking.model import BlockAnchor
from chunking.visible import BLOCK_ID

_NAMEABLE = frozenset({"paragraph_open", "heading_open"})


def read_blocks(tokens: Sequence[Token]) -> tuple[BlockAnchor, ...]:
    """Collects the names in the order of the file; `line` is the first line of the block that is named."""
    anchors: list[BlockAnchor] = []
    # The first line of the block last seen on each level; a deeper level begins anew in every container.
    previous: dict[int, int] = {}
    for index, token in enumerate(tokens):
        if token.nesting < 0 or token.type == "inline" or not token.map:
            continue
        line = token.map[0]
        name = _name_of(tokens[index + 1].content) if token.type in _NAMEABLE else None
        if name:
            block_id, alone = name
            named = previous.get(token.level, line) if alone else line
            anchors.append(BlockAnchor(block_id=block_id, line=named))
        previous[token.level] = line
        previous.pop(token.level + 1, None)
    return tuple(anchors)


def _name_of(content: str) -> tuple[str, bool] | None:
    match = BLOCK_ID.search(content)
    return (match[1], match.start() == 0) if match else None
