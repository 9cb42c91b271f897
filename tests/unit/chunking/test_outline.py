"""Sections: one document each, with the paths and lines it is to give."""

import pytest
from fakes import FakeCounter

from chunking import ChunkingOptions, Page, clean_heading, parse_page, slugify


def parse(text: str, path: str = "page.md") -> Page:
    return parse_page(path, text, options=ChunkingOptions(), counter=FakeCounter())


def sections_of(text: str) -> list[tuple[tuple[str, ...], int, int]]:
    """Returns path, first and last line that is not blank of each section."""
    page = parse(text)
    return [
        (section.heading_path, chunks[0].span.line_start, chunks[-1].span.line_end)
        for index, section in enumerate(page.sections)
        if (chunks := [chunk for chunk in page.chunks if chunk.section == index])
    ]


DOCUMENTS = {
    "text before the first heading": ("intro\n\n# A\n\na\n", [((), 1, 1), (("A",), 3, 5)]),
    "no heading": ("one\n\ntwo\n", [((), 1, 3)]),
    "nothing but blanks": ("\n \n\t\n", []),
    "blank lines above": ("\n\n\n# A\n\na\n\n\n", [(("A",), 4, 6)]),
    "comment in a fence": ("# A\n\n```sh\n# no\n```\n", [(("A",), 1, 5)]),
    "fence never closed": ("# A\n\n```\n# no\n\n## no\n", [(("A",), 1, 6)]),
    "fence that ends with its item": (
        "# A\n\n- x\n\n  ```\n  # no\n\n# B\n",
        [(("A",), 1, 6), (("B",), 8, 8)],
    ),
    "indented code": ("# A\n\n    # no\n\n   # B\n", [(("A",), 1, 3), (("B",), 5, 5)]),
    "underlined over two lines": ("one\ntwo\n---\n\nx\n", [(("one two",), 1, 5)]),
    "quoted and listed headings": ("# A\n\n> # no\n\n- ## no\n\nown\n", [(("A",), 1, 7)]),
    "levels skipped": (
        "# A\n#### B\n#### C\n## D\n",
        [(("A",), 1, 1), (("A", "B"), 2, 2), (("A", "C"), 3, 3), (("A", "D"), 4, 4)],
    ),
    "no name": ("# A\n## B\n##\nx\n", [(("A",), 1, 1), (("A", "B"), 2, 2), (("A", ""), 3, 4)]),
    "signs": ("#tag\n\n# C#\n\n####### no\n\n## B ##\n", [((), 1, 1), (("C#",), 3, 5), (("C#", "B"), 7, 7)]),
    "markup in a heading": (
        "## *a* &amp; `b()` [c](d) 🚀 [[e|f]] <i>g</i> ^id\n",
        [(("a & b() c 🚀 f g",), 1, 1)],
    ),
    "math never closed": ("# A\n\n$$\nx\n\n# B\n", [(("A",), 1, 4), (("B",), 6, 6)]),
    "comment over headings": ("# A\n\n%%\n# no\n\n# no\n%%\n\n# B\n", [(("A",), 1, 7), (("B",), 9, 9)]),
    "fence that ends with its quote": ("# A\n> ```\n> # no\n# B\n", [(("A",), 1, 3), (("B",), 4, 4)]),
    "fence closed by more signs": (
        "# A\n\n~~~~ a`b\n~~~\n# no\n~~~~~\n# B\n",
        [(("A",), 1, 6), (("B",), 7, 7)],
    ),
    "sign behind an ideographic space": ("#\u3000no\n\n\u00a0# no\n", [((), 1, 3)]),
    "underline below a table or a lazy line": ("| a |\n|---|\n===\n\n> a\n===\n", [((), 1, 6)]),
    "comment of HTML over a heading": ("<!--\n# no\n-->\n# A\n", [((), 1, 3), (("A",), 4, 4)]),
    "rule, prose and rule": ("---\n\n# A\n\n...\n", [((), 1, 1), (("A",), 3, 5)]),
    "lines of other blanks": ("\x0b\n\x0c\n\u2028\n# A\n", [(("A",), 4, 4)]),
    "comment never closed in a quote": ("> %% a\n\n%%\n\n# no\n\n%%\n", [((), 1, 7)]),
    "comment never closed": ("# A\n\n%% open\n\n# B\n", [(("A",), 1, 3), (("B",), 5, 5)]),
}


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_sections(text: str, expected: list[tuple[tuple[str, ...], int, int]]) -> None:
    assert sections_of(text) == expected


def test_equal_headings_get_numbered_anchors() -> None:
    page = parse("# Fixed\n# Fixed\n# Fixed 1\n# Fixed\n#\n")
    assert [section.anchor for section in page.sections] == ["fixed", "fixed-1", "fixed-1-1", "fixed-2", ""]


def test_sections_follow_on_each_other() -> None:
    text = "---\na: 1\n---\nintro\n# A\n\nx\n# B"
    page = parse(text)
    spans = [(section.span.char_start, section.span.char_end) for section in page.sections]
    assert spans == [(13, 19), (19, 26), (26, 29)]


@pytest.mark.parametrize(
    ("text", "title"),
    [("---\ntitle: T\n---\n# A\n", "T"), ("# A\n", "A"), ("x\n\n# A\n", "My page"), ("## A\n", "My page")],
)
def test_the_title_is_what_a_person_would_say(text: str, title: str) -> None:
    assert parse(text, "notes/My page.md").title == title


def test_headings_compare_without_what_links_cannot_hold() -> None:
    assert clean_heading("Phase 2: go | live") == clean_heading("phase 2 go live")
    assert clean_heading("C# and F#") == clean_heading(" c  and f")
    assert clean_heading("U\u0308ber [[Plan]]") == "über plan"


def test_slugs_are_those_of_github() -> None:
    assert [
        slugify(text) for text in ("Hello, World!", "a  b", "C++ & `x_y`", "Übersicht 中文", "हिन्दी")
    ] == [
        "hello-world",
        "a--b",
        "c--x_y",
        "übersicht-中文",
        "हिन्दी",
    ]
