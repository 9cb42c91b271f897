"""Fields of a metadata block, whatever language it is written in."""

import math
import re
from dataclasses import dataclass
from datetime import datetime

from chunking.model import Scalar

_TRUTH = {"true": True, "false": False}
_NOTHING = frozenset({"", "~", "null", ".nan", ".inf", "-.inf", "+.inf"})
# Eighteen digits fit a 64-bit integer; a leading zero marks an identifier ("007").
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?", re.ASCII)
_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.,]+(?: ?[-+][0-9:]+|[Zz])?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field: its typed value, and the texts it was written with.

    `plain` marks a single scalar without quotes, in which commas may separate several texts.
    """

    value: Scalar | tuple[Scalar, ...]
    texts: tuple[str, ...]
    plain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a metadata block cannot be read; `line` counts from 1 within the block."""

    line: int
    detail: str


def read_scalar(text: str) -> Scalar | None:
    """Types an unquoted scalar by the core schema of YAML 1.2, so "12:30", "yes" and "007" stay text.

    A time stamp becomes ISO 8601 text. What says nothing, or is no finite number, is None.
    """
    word = text.lower()
    if word in _NOTHING:
        return None
    if word in _TRUTH:
        return _TRUTH[word]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else None
    return read_timestamp(text)


def read_timestamp(text: str) -> str:
    """Returns a time stamp as ISO 8601 text, and any other text as it is."""
    if not _TIMESTAMP.fullmatch(text):
        return text
    try:
        return datetime.fromisoformat(text.upper()).isoformat()
    except ValueError:
        return text
