"""Text from pages as one line in which a language model sees words and no structure."""

import unicodedata

# Brackets begin and end JSON, and the control tokens of chat templates: <|im_end|>, </s>, [INST].
_BRACKETS = frozenset("<>[]{}")
# Of so many characters for each one kept the rest is not even looked at.
_LOOKED_AT = 8


def flatten(text: str, limit: int) -> str:
    """Returns at most `limit` characters of `text` on one line; a cut is marked by an ellipsis.

    Brackets become blanks, and so do control, format, surrogate, private and unassigned characters: line
    ends, bidirectional marks, invisible tags, halves of pairs. Each run of blanks becomes one.
    """
    looked_at = text[: limit * _LOOKED_AT]
    line = " ".join("".join(map(_clean, looked_at)).split())
    if len(line) <= limit and len(looked_at) == len(text):
        return line
    return line[: limit - 1].rstrip() + "…"


def _clean(character: str) -> str:
    is_hidden = unicodedata.category(character).startswith("C")
    return " " if is_hidden or character in _BRACKETS else character
