"""Metadata blocks: what counts as one, and what is read from it."""

import pytest

from chunking import Frontmatter, LineIndex, PageIssue
from chunking.frontmatter import read_frontmatter


def read(text: str) -> Frontmatter:
    frontmatter, issues = read_frontmatter(text, LineIndex(text))
    assert issues == ()
    return frontmatter


def problem_of(text: str) -> PageIssue:
    frontmatter, issues = read_frontmatter(text, LineIndex(text))
    assert frontmatter.line_end > 0
    assert frontmatter.values == {}
    (issue,) = issues
    return issue


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_block_ends_behind_its_closing_line(ending: str) -> None:
    text = ending.join(["--- ", "title: W", "---\t", "body"])
    frontmatter = read(text)
    assert (frontmatter.title, frontmatter.line_end) == ("W", 3)
    assert text[frontmatter.char_end :] == "body"


@pytest.mark.parametrize(
    "text",
    [
        "---\n\n# Lost section\n\nimportant\n\n---\n\n# Next\n",
        "--- start-columns: one\n\ntext\n---\n",
        "---\ntitle: never closed\n\n# Body\n",
        " ---\ntitle: x\n---\n",
        "---\n- a\n- b\n---\n",
        "---\n# Only a heading\n---\n",
        "---\nNote: prose: and\n\nplain words\n---\n",
        "+++\nsome prose\n+++\n",
    ],
)
def test_text_between_rules_is_body(text: str) -> None:
    assert read(text) == Frontmatter()


def test_an_empty_block_is_metadata() -> None:
    assert read("---\n\n---\nbody").line_end == 3


def test_values_keep_scalars_and_flat_lists() -> None:
    block = (
        "n: 3\nx: 1.5\nyes: true\nday: 2026-01-05\nat: 2026-01-05 10:30:00\nclock: 12:30\nid: 007\n"
        "word: 'true'\nlist: [a, 2, [deep]]\nmap: {a: 1}\nnan: .nan\nhuge: 1e999\nempty:\n"
        "long: 123456789012345678901234567890\n"
    )
    assert read(f"---\n{block}---\n").values == {
        "n": 3,
        "x": 1.5,
        "yes": True,
        "day": "2026-01-05",
        "at": "2026-01-05T10:30:00",
        "clock": "12:30",
        "id": "007",
        "word": "true",
        "list": ("a", 2),
        "long": "123456789012345678901234567890",
    }


@pytest.mark.parametrize(
    ("block", "aliases"),
    [
        ("aliases:\n  - One Name\n  - 'Word, word'\n", ("One Name", "Word, word")),
        ("aliases: [Two Name]\n", ("Two Name",)),
        ("alias: Three Name, p2\n", ("Three Name", "p2")),
        ("alias: 'Three Name, p2'\n", ("Three Name, p2",)),
        ("aliases: Five Name\nalias:\n", ("Five Name",)),
        ("alias: 2024\n", ("2024",)),
        ("Aliases: [Six]\nALIAS: Seven\n", ("Six", "Seven")),
    ],
)
def test_aliases_in_every_spelling(block: str, aliases: tuple[str, ...]) -> None:
    assert read(f"---\n{block}---\n").aliases == aliases


@pytest.mark.parametrize(
    "block", ["tags: a, b/c\n", "tags: '#a'\ntag: b/c\n", "tags: ['#a', b/c]\n", "Tags: a b/c\n"]
)
def test_tags_in_every_spelling(block: str) -> None:
    assert read(f"---\n{block}---\n").tags == ("a", "b/c")


def test_a_title_is_text_as_written() -> None:
    assert [read(f"---\ntitle: {title}\n---\n").title for title in ("2024", "1.10", "' '", "[a]")] == [
        "2024",
        "1.10",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("block", "line"),
    [
        ("title: Design: part two\n", 2),
        ("tags:\n\t- a\n", 3),
        ("owner: @team\n", 2),
        ("title: {{title}}\n", 2),
        ("people: [[A]], [[Home]]\n", 2),
        ("a: 1\nb: {c: [\n]\n", 5),
    ],
)
def test_broken_yaml_stays_metadata_and_is_reported(block: str, line: int) -> None:
    issue = problem_of(f"---\n{block}---\n\n# Body\n")
    assert (issue.code, issue.line) == ("frontmatter-invalid", line)
    assert issue.detail
    assert "\n" not in issue.detail


@pytest.mark.parametrize(
    "value", ["[" * 5000, "- " * 5000, "{a: " * 5000, "&a [*a, *a]", "!!python/object:os.system x", "*nobody"]
)
def test_hostile_yaml_does_no_harm(value: str) -> None:
    frontmatter, _ = read_frontmatter(text := f"---\nkey: {value}\n---\n", LineIndex(text))
    assert frontmatter.line_end in (0, 3)


def test_toml_is_read_alike() -> None:
    frontmatter = read(
        '+++\r\ntitle = "Hugo"\r\ndate = 2026-01-05\r\ntags = ["a"]\r\n[params]\r\nx = 1\r\n+++\r\n'
    )
    assert (frontmatter.title, frontmatter.tags, frontmatter.line_end) == ("Hugo", ("a",), 7)
    assert frontmatter.values == {"title": "Hugo", "date": "2026-01-05", "tags": ("a",)}


def test_broken_toml_stays_metadata_and_is_reported() -> None:
    assert problem_of("+++\ntitle = \n+++\n").line == 2
