"""Bytes of a page to text."""

import codecs
import re
from dataclasses import dataclass
from typing import ClassVar, Final

from charset_normalizer import from_bytes

from chunking.errors import WikitrailError

# UTF-32 comes first: its little-endian mark begins with that of UTF-16.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# In the order of preference where the detector sees no difference, as it does on a few bytes.
_LEGACY: Final = ("gb18030", "cp932", "cp949", "big5", "euc_jp", "cp1252", "cp1251", "cp1250", "koi8_r")
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_REPLACED = "utf-8-replaced"


class UndecodablePage(WikitrailError):
    """The bytes of a page are no text in any encoding that is known here."""

    code: ClassVar[str] = "page-undecodable"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """The text of a page without a byte order mark, line ends as on disk.

    `encoding` is "utf-8" where the page is as it should be, else the name of what was used instead;
    "utf-8-replaced" means UTF-8 whose few damaged bytes became U+FFFD.
    """

    text: str
    encoding: str


def decode(raw: bytes) -> DecodedText:
    """Decodes by byte order mark, else as UTF-8, else as the legacy encoding that fits best.

    Raises:
        UndecodablePage: the bytes break the encoding their mark names, or look like no text at all.
    """
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return _decode_marked(raw[len(mark) :], encoding)
    wide = _guess_wide(raw)
    if wide:
        return _decode_marked(raw, wide)
    try:
        return DecodedText(text=raw.decode("utf-8"), encoding="utf-8")
    except UnicodeDecodeError:
        return _decode_damaged(raw) or _decode_legacy(raw)


def _decode_marked(raw: bytes, encoding: str) -> DecodedText:
    try:
        return DecodedText(text=raw.decode(encoding), encoding=encoding)
    except UnicodeDecodeError as error:
        raise UndecodablePage(
            f"not valid {encoding} at byte {error.start}; save the page as UTF-8"
        ) from error


def _guess_wide(raw: bytes) -> str | None:
    """Recognises UTF-16 without a mark by zero bytes on one side of nearly every pair."""
    if not raw or len(raw) % 2 or raw.count(0) * 5 < len(raw) * 2:
        return None
    even, odd = raw[::2].count(0), raw[1::2].count(0)
    if min(even, odd) * 10 > max(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _decode_damaged(raw: bytes) -> DecodedText | None:
    """Takes text as UTF-8 with a few damaged bytes if most of what is not ASCII is valid."""
    if _NO_TEXT.search(raw):
        return None
    text = raw.decode("utf-8", errors="replace")
    damaged = text.count("\ufffd")
    intact = sum(1 for character in text if character > "\x7f") - damaged
    return DecodedText(text=text, encoding=_REPLACED) if intact > 10 * damaged else None


def _decode_legacy(raw: bytes) -> DecodedText:
    if _NO_TEXT.search(raw):
        raise UndecodablePage("the bytes are no text; save the page as UTF-8")
    matches = from_bytes(raw, cp_isolation=list(_LEGACY), preemptive_behaviour=False)
    candidates = [
        (match.chaos, -match.coherence, _LEGACY.index(encoding))
        for match in matches
        for encoding in match.could_be_from_charset
        if encoding in _LEGACY
    ]
    if not candidates:
        raise UndecodablePage("no known encoding fits the bytes; save the page as UTF-8")
    encoding = _LEGACY[min(candidates)[2]]
    return DecodedText(text=raw.decode(encoding), encoding=encoding)
