"""Lines end at LF, CRLF and CR, and nowhere else."""

import pytest

from chunking import LineIndex, Span


def test_each_line_end_opens_a_line() -> None:
    lines = LineIndex("a\nb\r\nc\rd")
    assert lines.count == 4
    assert [lines.start_of(line) for line in range(1, 6)] == [0, 2, 5, 7, 8]


@pytest.mark.parametrize("separator", ["\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"])
def test_other_separators_end_no_line(separator: str) -> None:
    assert LineIndex(f"a{separator}b").count == 1


def test_a_line_end_belongs_to_the_line_it_ends() -> None:
    lines = LineIndex("a\r\nb")
    assert [lines.line_of(offset) for offset in range(4)] == [1, 1, 1, 2]


def test_a_final_line_end_opens_no_line() -> None:
    assert [LineIndex(text).count for text in ("", "a", "a\n", "a\n\n")] == [0, 1, 1, 2]


def test_a_span_names_the_lines_it_touches() -> None:
    lines = LineIndex("one\ntwo\nthree\n")
    assert lines.span(4, 8) == Span(char_start=4, char_end=8, line_start=2, line_end=2)
    assert lines.span(4, 9) == Span(char_start=4, char_end=9, line_start=2, line_end=3)
