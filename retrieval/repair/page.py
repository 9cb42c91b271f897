"""A page that has changed since it was indexed, and what is left in it of a passage."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

from chunking.lines import LineIndex
from chunking.model import Dialect, Section, Span
from chunking.page import PageHead, read_head
from retrieval.repair.alignment import Alignment
from retrieval.repair.likeness import compare_texts

MAX_REPAIRED_LENGTH = 1_000_000
"""Characters of a changed page at most: parsing the Markdown of so many takes half a second."""

_ENOUGH = 0.5
"""Least share of a passage's words that must be left, and of the new text's words that must come from it.

A score was given to the old text; it is not told of a text that is for the larger part another one.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the page now says in place of a passage, with the section that holds all of it."""

    text: str
    span: Span
    section: Section


class ChangedPage:
    """The text of a page as it was indexed (`old`) and as it is in its file now (`new`)."""

    def __init__(self, path: str, *, old: str, new: str, dialect: Dialect) -> None:
        self.path = path
        self.old, self.new = old, new
        self._dialect = dialect

    @property
    def is_same(self) -> bool:
        """Whether only the bytes have changed: encoding, or byte order mark."""
        return self.old == self.new

    @property
    def can_be_repaired(self) -> bool:
        """Whether the page is short enough to be looked into."""
        return max(len(self.old), len(self.new)) <= MAX_REPAIRED_LENGTH

    @property
    def title(self) -> str:
        """What the page is called now."""
        return self._head.title

    def find(self, start: int, end: int) -> Found | None:
        """Returns what stands in place of `old[start:end]`, if enough of it is left in one section."""
        if not self.can_be_repaired:
            return None
        unchanged = self._alignment.find_unchanged(start, end)
        if unchanged is not None:
            place: tuple[int, int] | None = (unchanged, unchanged + end - start)
        else:
            place = self._alignment.find_edited(start, end)
        return None if place is None else self._confine(self.old[start:end], *place)

    def find_line(self, line: int) -> int | None:
        """Returns the number that a line of the old text has now, None if it was edited."""
        if self.is_same:
            return line
        if not self.can_be_repaired:
            return None
        start, end = self._old_lines.start_of(line), self._old_lines.start_of(line + 1)
        place = self._alignment.find_line(start, end)
        return None if place is None else self._lines.line_of(place)

    def cut(self, found: Found, text: str, *, passage: str) -> Found | None:
        """Returns the beginning `text` of what was found, if that still is enough of the passage."""
        if not _is_enough(passage, text):
            return None
        start = found.span.char_start
        return Found(text=text, span=self._lines.span(start, start + len(text)), section=found.section)

    def _confine(self, passage: str, start: int, end: int) -> Found | None:
        """Keeps to the section that holds most of a range."""
        parts = [
            (section, max(start, section.span.char_start), min(end, section.span.char_end))
            for section in self._head.sections
            if section.span.char_start < end and start < section.span.char_end
        ]
        if not parts:
            return None
        section, start, end = max(parts, key=lambda part: part[2] - part[1])
        start, end = self._trim(start, end)
        text = self.new[start:end]
        if not _is_enough(passage, text):
            return None
        return Found(text=text, span=self._lines.span(start, end), section=section)

    def _trim(self, start: int, end: int) -> tuple[int, int]:
        """Takes blank lines off the start of a range and blanks off its end, as chunks are trimmed."""
        part = self.new[start:end].rstrip()
        letter = start + len(part) - len(part.lstrip())
        return max(start, self._lines.start_of(self._lines.line_of(letter))), start + len(part)

    @cached_property
    def _alignment(self) -> Alignment:
        return Alignment(self.old, self.new)

    @cached_property
    def _lines(self) -> LineIndex:
        return LineIndex(self.new)

    @cached_property
    def _old_lines(self) -> LineIndex:
        return LineIndex(self.old)

    @cached_property
    def _head(self) -> PageHead:
        return read_head_of(self.path, self.new, self._dialect)


def _is_enough(passage: str, text: str) -> bool:
    likeness = compare_texts(passage, text)
    return min(likeness.kept, likeness.own) >= _ENOUGH


# Until the page is indexed again, every query that cites it comes here.
@lru_cache(maxsize=8)
def read_head_of(path: str, text: str, dialect: Dialect) -> PageHead:
    """Returns `chunking.page.read_head` of a page, kept for the last few."""
    return read_head(path, text, dialect=dialect)
