"""Laws of verification that hold for any page and any text."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.live import LiveFile, LiveWiki
from retrieval.verification.claims import check_place, trace
from retrieval.verification.facts import Facts
from retrieval.verification.folding import FoldedText, fold_blanks
from retrieval.verification.library import Library
from retrieval.verification.model import Claim
from retrieval.verification.quotations import read_quotations
from retrieval.verification.quotes import check_quote, trace_quote
from retrieval.verification.references import PageNames

BLANKS = ["", " ", "  ", "\t", "\n", "\r\n", "\r", "\n\n", "\n> ", "\n>> ", " "]
PIECES = st.sampled_from([*BLANKS, *"abc中é😀.,:>", "“", "”", '"', "«", "zorb", "…", "`"])
TEXTS = st.lists(PIECES, max_size=40).map("".join)
# No quotation marks, and nothing that is taken off the ends of a quotation.
WORDS = st.lists(st.sampled_from(["zorb", "back", "中文", "é", "(port)", "8080"]), min_size=6, max_size=20)
SIGNS = [*'“”"«»„「」`|#)<…—\0', "```", "~~~", "[[", "]]", "]("]
REFERENCES = ["a.md", ":3-5", "#L4", "#x", "ops/b c.md", "/v1/pages/", "%20"]
ANSWERS = st.lists(
    st.sampled_from([*SIGNS, *REFERENCES, "> ", "\n", "\n\n", " ", "\r\n", "zorb back port"]), max_size=40
).map("".join)


def open_library(pages: dict[str, str]) -> Library:
    def read(path: str) -> LiveFile:
        if path not in pages:
            raise FileNotFoundError(path)
        return LiveFile(raw=pages[path].encode(), modified=0.0)

    return Library(LiveWiki(read=read, dialect="obsidian"))


@given(TEXTS, st.integers(0, 60), st.integers(0, 60), st.integers(0, 80))
def test_folded_range_reads_as_what_was_looked_for(text: str, start: int, end: int, near: int) -> None:
    wanted = fold_blanks(text[min(start, end) : max(start, end)].strip())
    found = FoldedText(text).find(wanted, near)
    if found is not None:
        assert fold_blanks(text[found[0] : found[1]]).strip() == wanted.strip()
    elif wanted.strip() and "\n>" not in text:
        assert wanted not in fold_blanks(text)


@given(TEXTS)
def test_folding_is_idempotent_and_keeps_words(text: str) -> None:
    folded = fold_blanks(text)
    assert fold_blanks(folded) == folded
    written = text.replace("“", '"').replace("”", '"').replace("«", '"')
    assert re.sub(r"[\s>]", "", folded) == re.sub(r"[\s>]", "", written)


@given(st.text(max_size=30), st.text(min_size=1, max_size=20), st.text(max_size=30), st.integers(-3, 3))
@example("", "a", "a" * 20, 3)
def test_text_that_a_page_says_is_never_told_to_be_gone(
    before: str, text: str, after: str, shift: int
) -> None:
    page = before + text + after
    start = max(0, len(before) + shift)
    claim = Claim(path="p.md", text=text, char_start=start, char_end=start + len(text))
    library = open_library({"p.md": page})
    live = library.open("p.md")
    if isinstance(live, str) or live.text != page:
        return  # read as another encoding, or without its byte order mark
    verdict = check_place(claim, library) or trace(claim, library, Facts(), ())
    assert verdict.status == ("ok" if page[start : start + len(text)] == text else "moved")
    assert verdict.place is not None
    span = verdict.place.span
    assert page[span.char_start : span.char_end] == text


@given(WORDS, st.data())
def test_quotation_holds_whatever_its_line_breaks(words: list[str], data: st.DataObject) -> None:
    breaks = st.sampled_from([" ", "\n", "  ", "\r\n"])
    page = "# Page\n\n" + "".join(word + data.draw(breaks) for word in words)
    first = data.draw(st.integers(0, len(words) - 5))
    quoted = "".join(word + data.draw(st.sampled_from([" ", "\n"])) for word in words[first:]).strip()
    library, names = open_library({"ops/p.md": page}), PageNames(["ops/p.md"])
    marks = data.draw(st.sampled_from(["“”", '""', "«»", "„“", "「」"]))
    (quotation,) = read_quotations(f"{marks[0]}{quoted}{marks[1]} (p.md)", names, "obsidian")
    assert quotation.text == quoted
    found = check_quote(quotation, names, library)
    assert found is not None
    assert found.verdict.status == "ok"
    assert found.verdict.place is not None
    span = found.verdict.place.span
    assert page[span.char_start : span.char_end].split() == quoted.split()


@given(ANSWERS)
def test_any_text_is_read_and_what_is_said_to_stand_stands(text: str) -> None:
    pages = {"a.md": "# A\n\nzorb back port\n\n## x\n\nport\nzorb back\n", "ops/b c.md": "zorb\n"}
    library, names = open_library(pages), PageNames(list(pages))
    for quotation in read_quotations(text, names, "obsidian"):
        found = check_quote(quotation, names, library) or trace_quote(quotation, names, library, ["a.md"])
        verdict = found.verdict
        if verdict.status in ("ok", "moved"):
            assert verdict.place is not None
            said = pages[verdict.place.path][verdict.place.span.char_start : verdict.place.span.char_end]
            parts = re.split(r"\s*…\s*", fold_blanks(quotation.text.strip()).rstrip(".,;:!?"))
            assert all(part.rstrip(".,;:!?") in fold_blanks(said) for part in parts)
        if verdict.status == "deleted":
            assert found.cited is not None
            assert names.resolve(found.cited.target)[0] not in pages
