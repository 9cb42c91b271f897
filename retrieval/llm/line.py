"""Text from pages as one line in which a language model sees words and no structure."""

import regex

# Brackets begin and end JSON, and the control tokens of chat templates: <|im_end|>, </s>, [INST].
# Not all that is shown as nothing is in \p{C}: variation selectors can spell out a text for the model alone.
_NO_WORDS = regex.compile(r"[\p{C}\p{Default_Ignorable_Code_Point}<>\[\]{}]")
# Of so many characters for each one kept the rest is not even looked at.
_LOOKED_AT = 8


def flatten(text: str, limit: int) -> str:
    """Returns at most `limit` characters of `text` on one line; a cut is marked by an ellipsis.

    Brackets become blanks, and so do control, format, surrogate, private, unassigned and other invisible
    characters: line ends, bidirectional marks, tags, variation selectors. Each run of blanks becomes one.
    """
    looked_at = text[: limit * _LOOKED_AT]
    line = " ".join(_NO_WORDS.sub(" ", looked_at).split())
    if len(line) <= limit and len(looked_at) == len(text):
        return line
    return line[: limit - 1].rstrip() + "…"
