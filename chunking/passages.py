"""Ranges of a section, and the text that is embedded for each."""

from bisect import bisect_right
from dataclasses import dataclass, replace

import numpy as np

from chunking.atoms import Offsets
from chunking.embedded import embed_text, shorten_prefix, write_prefix
from chunking.lines import LineIndex
from chunking.outline import OutlineEntry
from chunking.sizes import Floats, Sizer
from chunking.structure import Structure, Table

# A header that takes more than this share of the budget is not repeated.
_HEADER_SHARE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionDraft:
    """A section without the blanks around it.

    `prefix` goes before each of its passages; the text before `body_start` is in the prefix already.
    """

    index: int
    start: int
    end: int
    body_start: int
    prefix: str
    heading_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A range of a section, to become a chunk."""

    draft: SectionDraft
    start: int
    end: int
    embedded_text: str
    table_header: str | None


class PassageWriter:
    """Writes the passages of one page."""

    def __init__(
        self, text: str, lines: LineIndex, structure: Structure, sizer: Sizer, title: str | None
    ) -> None:
        self._text = text
        self._lines = lines
        self._sizer = sizer
        self._title = title
        self._tables = structure.tables
        self._row_starts = [lines.start_of(table.row_line) for table in structure.tables]
        self._headers: dict[Table, tuple[str | None, float]] = {}

    def draft(self, index: int, entry: OutlineEntry) -> SectionDraft:
        """Prepares a section, whose prefix may be of any length."""
        span = entry.section.span
        start, end = self.trim(span.char_start, span.char_end)
        heading_only = entry.section.level > 0 and entry.body_start >= end
        return SectionDraft(
            index=index,
            start=start,
            end=end,
            body_start=end if heading_only else self.trim(entry.body_start, end)[0],
            prefix=write_prefix(self._title, entry.section.heading_path),
            heading_only=heading_only,
        )

    def shorten(self, draft: SectionDraft) -> SectionDraft:
        """Cuts a prefix that takes over half the budget; the heading is then embedded as text."""
        prefix = shorten_prefix(draft.prefix, self._sizer)
        return draft if prefix == draft.prefix else replace(draft, prefix=prefix, body_start=draft.start)

    def trim(self, start: int, end: int) -> tuple[int, int]:
        """Takes blank lines off the start of a range and blanks off its end."""
        part = self._text[start:end].rstrip()
        first_letter = start + len(part) - len(part.lstrip())
        line_start = self._lines.start_of(self._lines.line_of(first_letter))
        return max(start, line_start), start + len(part)

    def write(self, draft: SectionDraft, start: int, end: int) -> Passage:
        """Writes the passage for a trimmed range of the section."""
        body = self._text[max(start, draft.body_start) : end]
        header, _ = self.table_header(start)
        # An empty heading has neither a name nor a body.
        embedded = embed_text(draft.prefix, body, header) or embed_text("", self._text[start:end])
        return Passage(draft=draft, start=start, end=end, embedded_text=embedded, table_header=header)

    def table_header(self, offset: int) -> tuple[str | None, float]:
        """Returns the header of the table whose rows hold `offset`, and its size in tokens."""
        index = bisect_right(self._row_starts, offset) - 1
        if index < 0 or offset >= self._lines.start_of(self._tables[index].end_line):
            return None, 0.0
        table = self._tables[index]
        if table not in self._headers:
            self._headers[table] = self._measure_header(table)
        return self._headers[table]

    def measure_headers(self, offsets: Offsets) -> Floats:
        """Returns the size of the header that a passage from each offset would repeat."""
        if not self._tables:
            return np.zeros(len(offsets))
        return np.fromiter(
            (self.table_header(int(offset))[1] for offset in offsets), np.float64, len(offsets)
        )

    def _measure_header(self, table: Table) -> tuple[str | None, float]:
        text = self._text[self._lines.start_of(table.first_line) : self._lines.start_of(table.row_line)]
        header = text.strip()
        size = float(self._sizer.measure([header])[0])
        return (header, size) if size * _HEADER_SHARE <= self._sizer.max_tokens else (None, 0.0)
