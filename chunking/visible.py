"""The text of inline Markdown that a reader sees."""

import re
from collections.abc import Iterable
from typing import Final

from markdown_it.token import Token

from chunking.model import Dialect
from chunking.targets import read_wikilink

BLOCK_ID = re.compile(r"(?:\A|(?<=\s))\^([A-Za-z0-9-]+)\s*\Z")
"""The name of a block at the end of its text."""

_MAX_NAME: Final = 500
_BREAKS = frozenset({"softbreak", "hardbreak"})
_SHOWN = frozenset({"text", "text_special", "code_inline", "math_inline", "math_inline_double"})


def visible_text(tokens: Iterable[Token], dialect: Dialect) -> str:
    """Joins link texts, code, aliases and entities; collapses blanks, drops a trailing `^block-id`."""
    text = "".join(_show(token, dialect) for token in tokens)
    return " ".join(BLOCK_ID.sub("", text).split())


def shorten_name(text: str) -> str:
    """Cuts a title or heading that is no name: it is written with every chunk and link below it."""
    return text if len(text) <= _MAX_NAME else text[: _MAX_NAME - 1].rstrip() + "…"


def _show(token: Token, dialect: Dialect) -> str:
    if token.type in _SHOWN:
        return token.content
    if token.type in _BREAKS:
        return " "
    if token.type == "tag":
        return "#" + token.content
    if token.type == "image":
        return "".join(_show(child, dialect) for child in token.children or ())
    if token.type == "wikilink":
        target, alias = read_wikilink(token.content, dialect)
        return alias or target
    return ""
