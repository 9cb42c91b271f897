"""Bytes of a page to text."""

import codecs
import re
from dataclasses import dataclass
from typing import ClassVar, Final

from chunking.errors import WikitrailError
from chunking.recognition import recognise_encodings

# UTF-32 comes first: its little-endian mark begins with that of UTF-16.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BINARY: Final = (b"%PDF-", b"SQLite format 3\0")
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# Also the escape of ISO 2022, in which Japanese mail was written.
_SUSPICIOUS: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]|\x1b\$")
_REPLACED: Final = "-replaced"

# Beyond these parts of a text, control characters and damage show that it is none.
_CONTROLS_OF_UNICODE: Final = 4
_CONTROLS: Final = 50
_DAMAGE_OF_UTF8: Final = 10
_DAMAGE: Final = 50


class UndecodablePage(WikitrailError):
    """The bytes of a page are no text in any encoding that is known here."""

    code: ClassVar[str] = "page-undecodable"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """The text of a page without a byte order mark, line ends as on disk.

    `encoding` is "utf-8" where the page is as it should be, else the name of what was used instead;
    "utf-8-replaced" means UTF-8 whose few damaged bytes became U+FFFD, and so with other encodings.
    """

    text: str
    encoding: str


def decode(raw: bytes) -> DecodedText:
    """Decodes by byte order mark, else as UTF-8, else in the encoding that gives the likeliest text.

    Raises:
        UndecodablePage: the bytes break the encoding their mark names, or look like no text at all.
    """
    if raw.startswith(_BINARY):
        raise UndecodablePage("the file is no text; save the page as UTF-8")
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _decode_marked(raw[len(mark) :], encoding)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        decoded = _decode_damaged(raw)
    else:
        decoded = None if _SUSPICIOUS.search(raw) else DecodedText(text=text, encoding="utf-8")
    return decoded or _decode_unmarked(raw)


def _decode_marked(raw: bytes, encoding: str) -> DecodedText:
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise UndecodablePage(
            f"not valid {encoding} at byte {error.start}; save the page as UTF-8"
        ) from error
    if text and _has_controls(text, _CONTROLS_OF_UNICODE):
        raise UndecodablePage(f"the {encoding} says nothing that is text; save the page as UTF-8")
    return DecodedText(text=text, encoding=encoding)


def _decode_damaged(raw: bytes) -> DecodedText | None:
    """Takes text as UTF-8 with a few damaged bytes if most of what is not ASCII is valid."""
    text = raw.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    intact = _count_beyond_ascii(text) - damaged
    if intact <= _DAMAGE_OF_UTF8 * damaged or _has_controls(text, _CONTROLS):
        return None
    return DecodedText(text=text, encoding="utf-8" + _REPLACED)


def _decode_unmarked(raw: bytes) -> DecodedText:
    for encoding in recognise_encodings(raw):
        text = raw.decode(encoding, "replace")
        utf8 = encoding == "utf-8"
        damaged = 0 if utf8 else text.count("\ufffd")
        if damaged * _DAMAGE > _count_beyond_ascii(text):
            continue
        if _has_controls(text, _CONTROLS_OF_UNICODE if utf8 else _CONTROLS):
            continue
        return DecodedText(text=text, encoding=encoding + _REPLACED if damaged else encoding)
    raise UndecodablePage("the bytes are no text in any known encoding; save the page as UTF-8")


def _has_controls(text: str, part: int) -> bool:
    """Tells whether a part of the text is control characters; zeros at its end come from a crash."""
    body = text.rstrip("\0")
    return not body or sum(1 for _ in _CONTROL.finditer(body)) * part > len(body)


def _count_beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))
