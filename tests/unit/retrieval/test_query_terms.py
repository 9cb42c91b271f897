"""The forms of a query's words, and what counts as one word."""

import pytest

from retrieval.analyzer import analyze, analyze_query
from retrieval.query_terms import QueryTerms


def test_a_word_has_its_forms_in_each_language_of_the_index() -> None:
    query = analyze_query("Einstellungen settings", ["de", "en"])
    assert query.words == ("einstell~de", "setting~de")
    assert query.forms == ("einstell~de", "einstellungen", "setting~de", "set")


def test_a_form_is_not_taken_for_one_of_another_language() -> None:
    query = analyze_query("planes", ["de", "en"])
    assert query.forms == ("plan~de", "plane")
    assert not set(query.words) & set(query.name(analyze("plan", "en")))


def test_an_index_in_one_language_is_asked_for_one_form() -> None:
    assert analyze_query("settings", ["en", "und", "zh", "ru"]).forms == ("set",)


def test_a_query_in_one_language_finds_its_exact_words_in_pages_of_another() -> None:
    query = analyze_query("what do the Einstellungen mean", ["de", "en", "tr"])
    for language in ("de", "en", "tr"):
        assert set(query.words) & set(query.name(analyze("Einstellungen", language)))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], {}),
        ([("run",), ("run",)], {"run": "run"}),
        ([("run", "runn"), ("runs",)], {"run": "run", "runn": "run", "runs": "runs"}),
        ([("a", "b"), ("b", "c")], {"a": "a", "b": "a", "c": "a"}),
        ([("a",), ("b",), ("c", "b", "a")], {"a": "b", "b": "b", "c": "b"}),
        ([("a", "x"), ("b", "y"), ("y", "x", "z")], {"a": "b", "x": "b", "b": "b", "y": "b", "z": "b"}),
    ],
)
def test_words_that_share_a_form_are_one(words: list[tuple[str, ...]], expected: dict[str, str]) -> None:
    assert QueryTerms.group(words).words_by_form == expected


def test_the_forms_of_a_word_count_as_one_term() -> None:
    query = QueryTerms.group([("set", "setting"), ("rare",)])
    assert query.name(["setting", "other", "set", "rare"]) == ["set", "other", "set", "rare"]
    assert query.add_up([("set", 3), ("setting", 2), ("rare", 1)]) == {"set": 5, "rare": 1}


def test_nothing_asked_for_is_nothing() -> None:
    assert not analyze_query("?!")
    assert analyze_query("word", [])
