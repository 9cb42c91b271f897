"""Laws that hold for the chunks, links and sections of any page, and for the bytes of any file."""

import os

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from page_grammar import pages
from page_laws import DIALECTS, check_bytes, check_line_ends, check_page, number_lines, parse

from chunking import Dialect, LineIndex

# A night's run sets more; what a page holds makes the time of an example vary.
LAWS = settings(max_examples=int(os.environ.get("PAGE_EXAMPLES", "150")), deadline=None)

ENCODINGS = (
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"),
    *("gb18030", "cp932", "euc_jp", "cp949", "big5", "cp1252"),
)

dialects = st.sampled_from(DIALECTS)


@LAWS
@given(pages, dialects)
def test_any_page_is_chunked_by_the_laws(text: str, dialect: Dialect) -> None:
    check_page(text, dialect)


@LAWS
@given(pages, dialects)
def test_line_ends_do_not_matter(text: str, dialect: Dialect) -> None:
    check_line_ends(text, dialect)


@LAWS
@given(pages)
@example("# A\n\none\n\n## B\n\ntwo ^name\n")
def test_lines_inserted_above_change_no_name(text: str) -> None:
    plain, moved = parse("# Top\n\n" + text), parse("other words\n\n# Top\n\n" + text)
    assert [chunk.chunk_id for chunk in moved.chunks[1:]] == [chunk.chunk_id for chunk in plain.chunks]


@LAWS
@given(st.text(st.one_of(st.characters(), st.sampled_from("\r\n\u2028\x85\x0b"))))
def test_offsets_and_lines_agree(text: str) -> None:
    lines, numbers = LineIndex(text), list(number_lines(text))
    assert [lines.line_of(offset) for offset in range(len(text))] == numbers[:-1]
    assert all(numbers[lines.start_of(line)] == line for line in range(1, lines.count + 1))


@LAWS
@given(st.binary(max_size=400))
def test_any_bytes_are_a_text_or_an_undecodable_page(raw: bytes) -> None:
    decoded = check_bytes(raw)
    if decoded:
        check_page(decoded.text, "obsidian")


@LAWS
@given(pages, st.sampled_from(ENCODINGS))
def test_text_in_any_encoding_keeps_its_laws(text: str, encoding: str) -> None:
    decoded = check_bytes(text.encode(encoding, "ignore"))
    if decoded:
        check_page(decoded.text, "obsidian")


@pytest.mark.parametrize("mark", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@given(text=pages)
@LAWS
def test_marked_text_comes_out_as_it_went_in(mark: str, text: str) -> None:
    text = text.encode("utf-8", "ignore").decode().replace("\0", "").lstrip("\ufeff")
    decoded = check_bytes(text.encode(mark))
    if mark != "utf-8":
        assert decoded is None or decoded.text == text
