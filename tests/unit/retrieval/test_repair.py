"""Where a passage stands in a page that has changed since."""

import pytest

from retrieval.repair import MAX_REPAIRED_LENGTH, ChangedPage
from retrieval.repair.likeness import compare_texts
from retrieval.repair.matching import pair_edited, pair_equal
from retrieval.repair.units import cut_units

PAGE = (
    "# One\n\nThe first thing is done by hand. It takes an hour. Nobody likes it.\n\n"
    "## Two\n\n- alpha is for apples\n- beta is for bread\n- gamma is for games\n\n"
    "## Three\n\n中文的第一句话。第二句话在这里。\n"
)


def find(old: str, new: str, passage: str) -> str | None:
    start = old.index(passage)
    found = ChangedPage("p.md", old=old, new=new, dialect="obsidian").find(start, start + len(passage))
    assert found is None or new[found.span.char_start : found.span.char_end] == found.text
    return None if found is None else found.text


def test_text_is_cut_at_sentences_and_lines() -> None:
    text = "  A b. C d!  3.5 e\r\n\r\n| x. | y |\r第一句。第二句。"
    units = cut_units(text)
    assert units.keys == ("A b.", "C d!", "3.5 e", "| x.", "| y |", "第一句。", "第二句。")
    assert [text[start:end] for start, end in zip(units.starts, units.ends, strict=True)] == [*units.keys]
    assert units.touched_by(0, 3) == range(1)
    assert units.touched_by(5, 9) == range(2)
    assert units.touched_by(6, 7) == range(1, 1)


def test_long_line_without_a_sentence_is_cut_all_the_same() -> None:
    assert [len(key) for key in cut_units("x" * 2_500).keys] == [1_000, 1_000, 500]


@pytest.mark.parametrize(
    ("old", "new", "pairs"),
    [
        ("abc", "abc", {0: 0, 1: 1, 2: 2}),
        ("abc", "xabcx", {0: 1, 1: 2, 2: 3}),
        ("abcd", "acd", {0: 0, 2: 1, 3: 2}),
        ("aaa", "xaaax", {0: 1, 1: 2, 2: 3}),
        ("axbxc", "abxc", {0: 0, 2: 1, 3: 2, 4: 3}),
        ("abc", "cab", {0: 1, 1: 2}),
        ("abc", "xyz", {}),
        ("", "abc", {}),
    ],
)
def test_equal_units_are_paired_in_order(old: str, new: str, pairs: dict[int, int]) -> None:
    assert pair_equal(old, new) == pairs


def test_edited_units_are_paired_by_their_words() -> None:
    old = ["alpha is for apples", "beta is for bread", "gamma is for games"]
    new = ["quite another line", "alpha is for pears", "gamma is for good games"]
    assert pair_edited(old, new) == {0: 1, 2: 2}
    assert pair_edited(old, ["nothing alike"]) == {}
    assert pair_edited(["a"] * 100, ["a"] * 100) == {}  # too many to compare


def test_likeness_is_told_from_both_sides() -> None:
    likeness = compare_texts("one two", "one two three four")
    assert (likeness.kept, round(likeness.own, 2)) == (1.0, 0.4)
    assert compare_texts("中文", "中国").kept == 0.5
    assert compare_texts("", "").kept == 0.0


@pytest.mark.parametrize(
    ("edit", "passage", "expected"),
    [
        (
            ("an hour", "two hours"),
            "The first thing is done by hand. It takes an hour. Nobody likes it.",
            "two hours",
        ),
        (
            ("alpha is for", "alpha stands for"),
            "- alpha is for apples\n- beta is for bread",
            "- alpha stands for",
        ),
        (("games", "great games"), "- beta is for bread\n- gamma is for games", "is for great games"),
        (
            ("bread", "bread\n- delta is for days"),
            "- alpha is for apples\n- beta is for bread\n- gamma is for games",
            "days",
        ),
        (("第一句话", "第一个句子"), "中文的第一句话。第二句话在这里。", "第一个句子"),
        (
            ("Nobody likes it.", "Nobody likes it. Never on Friday."),
            "Nobody likes it.",
            "it. Never on Friday.",
        ),
    ],
)
def test_edit_inside_a_passage_is_quoted(edit: tuple[str, str], passage: str, expected: str) -> None:
    found = find(PAGE, PAGE.replace(*edit), passage)
    assert found is not None
    assert expected in found


def test_words_added_to_a_line_are_quoted_with_it() -> None:
    new = PAGE.replace("is for bread", "is for bread, and for butter")
    assert find(PAGE, new, "- beta is for bread") == "- beta is for bread, and for butter"


def test_passage_that_moved_in_its_page_is_found() -> None:
    passage = "## Two\n\n- alpha is for apples\n- beta is for bread\n- gamma is for games"
    new = f"{passage}\n\n{PAGE.replace(passage, '')}"
    assert find(PAGE, new, passage) == passage


def test_passage_ends_where_its_section_ends() -> None:
    passage = "- alpha is for apples\n- beta is for bread\n- gamma is for games"
    assert find(PAGE, PAGE.replace("- gamma", "# New\n\n- gamma"), passage) == (
        "- alpha is for apples\n- beta is for bread"
    )


def test_text_that_became_a_comment_of_the_frontmatter_is_not_quoted() -> None:
    old = "first: line of text\n\n# Heading\n"
    assert find(old, "---\nfirst: line of text\n---\n\n# Heading\n", "first: line of text") is None


def test_code_that_became_headings_is_kept_to_one_section() -> None:
    old = "# A\n\n```\n# one\ncommand --with\n# two\nother\n```\n"
    passage = "# one\ncommand --with\n# two\nother"
    assert find(old, old.replace("```\n", ""), passage) == "# one\ncommand --with"


def test_page_that_is_too_long_is_not_looked_into() -> None:
    page = "x\n" * (MAX_REPAIRED_LENGTH // 2 + 1)
    changed = ChangedPage("p.md", old=page, new="y\n" + page, dialect="obsidian")
    assert (changed.find(0, 1), changed.find_line(1)) == (None, None)


def test_line_is_found_where_it_is_now() -> None:
    page = ChangedPage("p.md", old=PAGE, new=f"New.\r\n{PAGE}".replace("bread", "beer"), dialect="obsidian")
    assert [page.find_line(line) for line in (1, 3, 7, 8, 9)] == [2, 4, 8, None, 10]
