"""What one page can cost is bounded, whatever it consists of, and nothing of its text is lost."""

import pytest
from fakes import FakeCounter

from chunking import ChunkingOptions, Dialect, Page, parse_page


def parse(text: str, dialect: Dialect = "obsidian") -> Page:
    return parse_page("page.md", text, options=ChunkingOptions(dialect=dialect), counter=FakeCounter())


def issues_of(page: Page) -> list[tuple[int | None, str]]:
    return [(issue.line, issue.code) for issue in page.issues]


def test_headings_beyond_a_limit_open_no_sections() -> None:
    page = parse("# a\n" * 50_002)
    assert len(page.sections) == 50_000
    assert page.sections[-1].span.line_end == 50_002
    assert issues_of(page) == [(50_001, "page-excessive")]


def test_links_and_tags_beyond_a_limit_are_left_out() -> None:
    page = parse("".join(f"[[p{n}]] #t{n}\n" for n in range(50_001)))
    assert (len(page.links), len(page.tags)) == (50_000, 1_000)
    assert issues_of(page) == [(None, "page-excessive"), (None, "page-excessive")]


def test_a_heading_that_is_a_text_is_shortened() -> None:
    page = parse("word " * 200 + "\n===\n\n## Below\n\ntext\n")
    assert page.title == page.sections[1].heading_path[0] == ("word " * 100)[:499] + "…"
    assert "".join(chunk.text for chunk in page.chunks).count("word") == 200


@pytest.mark.parametrize(
    ("marker", "block"),
    [
        ("---", "".join(f"key{n}: value\n" for n in range(6_000))),
        ("---", "deep: " + "[" * 60_000 + "\n"),
        ("+++", "".join(f"key{n} = 1\n" for n in range(6_000))),
        ("+++", "a." * 500 + "a = 1\n"),
        ("+++", f"n = {'9' * 5_000}\n"),
    ],
)
def test_excessive_metadata_is_an_issue(marker: str, block: str) -> None:
    page = parse(f"{marker}\n{block}{marker}\n# H\n")
    assert (page.frontmatter.values, [section.heading_path for section in page.sections]) == ({}, [("H",)])
    assert issues_of(page) == [(2, "frontmatter-invalid")]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_links_of_an_overlong_paragraph_stand_on_their_lines(ending: str) -> None:
    page = parse(ending.join(f"some words and [[p{n}]] and [text](q{n}.md)" for n in range(3_000)))
    assert [(link.line, link.target) for link in page.links] == [
        pair for n in range(3_000) for pair in ((n + 1, f"p{n}"), (n + 1, f"q{n}.md"))
    ]


def test_a_link_target_longer_than_any_name_is_left_out() -> None:
    assert [link.target for link in parse(f"![a](data:image/png;base64,{'A' * 5_000}) [b](c.md)").links] == [
        "c.md"
    ]


def test_deep_quotes_are_read_up_to_a_depth() -> None:
    page = parse(">" * 10 + " [[a]]\n\n" + ">" * 11 + " [[b]]\n\n# H\n")
    assert [(link.line, link.target) for link in page.links] == [(1, "a"), (3, "b")]
    assert [section.heading_path for section in page.sections] == [(), ("H",)]


@pytest.mark.parametrize(
    "text", ["\x0c\n[[Page]]", "> \x0b\n> [[Page]]", "\u2028\n[[Page]]\n===", "- \x0c\n  [[Page]]"]
)
def test_blanks_that_are_stripped_from_a_text_move_no_line(text: str) -> None:
    assert [(link.line, link.target) for link in parse(text).links] == [(2, "Page")]


def test_a_comment_ends_at_the_first_mark_even_behind_a_dash() -> None:
    assert [link.target for link in parse("a <!-- [[no]] ---> [[b]] <!--> [[c]] <!-- [[d]]").links] == [
        "b",
        "c",
        "d",
    ]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_property_of_logseq_ends_with_its_line(ending: str) -> None:
    page = parse(f"title:: A{ending}tags:: b{ending}{ending}- c", "logseq")
    assert (page.title, page.tags) == ("A", ("b",))
