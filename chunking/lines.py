"""Lines of a text: where they start, and which one holds an offset."""

import re
from array import array
from bisect import bisect_right

from chunking.model import Span

LINE_END = re.compile(r"\r\n?|\n")
"""What ends a line: LF, CRLF or CR, and nothing else."""


class LineIndex:
    """Maps offsets (code points) to 1-based lines and back, in O(log lines)."""

    __slots__ = ("_length", "_starts")

    def __init__(self, text: str) -> None:
        # An array, as a page may consist of twenty million line ends.
        self._starts = array("q", [0])
        self._starts.extend(match.end() for match in LINE_END.finditer(text))
        self._length = len(text)

    @property
    def count(self) -> int:
        """The number of lines; a line end at the end of the text opens no further line."""
        return len(self._starts) - (self._starts[-1] == self._length)

    def line_of(self, offset: int) -> int:
        """Returns the line that holds the character at `offset`; a line end belongs to the line it ends."""
        return bisect_right(self._starts, offset)

    def start_of(self, line: int) -> int:
        """Returns the offset at which `line` starts; behind the last line, that of the end of the text."""
        return self._starts[line - 1] if line <= len(self._starts) else self._length

    def span(self, char_start: int, char_end: int) -> Span:
        """Returns the range with the lines it touches."""
        return Span(
            char_start=char_start,
            char_end=char_end,
            line_start=self.line_of(char_start),
            line_end=self.line_of(max(char_start, char_end - 1)),
        )
