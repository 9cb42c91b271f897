"""Headings as text that can be compared and linked to."""

import unicodedata
from typing import Final

import regex

_LINK_SYNTAX: Final = regex.compile(r"[:#|^\\]|%%|\[\[|\]\]")
_NOT_IN_SLUG: Final = regex.compile(r"[^\w\p{M}\- ]")


def clean_heading(text: str) -> str:
    """Returns the form in which the heading of a link and that of a page are compared.

    Note apps cannot write `: # | ^ \\ %% [[ ]]` in a link and put a blank there; case and composition are
    ignored.
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(_LINK_SYNTAX.sub(" ", folded).split())


def slugify(text: str) -> str:
    """Returns the anchor that GitHub makes of a heading, before it is made unique in its page."""
    return _NOT_IN_SLUG.sub("", text.strip().lower()).replace(" ", "-")
