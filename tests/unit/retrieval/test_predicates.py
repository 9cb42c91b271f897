"""Text of predicates, and what a comparison means without a database."""

from typing import Any

import pytest

from retrieval.filters import Comparison, ComparisonType, InvalidFilter, parse_filter
from retrieval.predicates import (
    MAX_SCOPE_LENGTH,
    attributes,
    compile_filter,
    in_predicate,
    matches,
    path_scope,
    quote,
)


def test_quote_doubles_single_quotes_and_nothing_else() -> None:
    assert quote("it's") == "'it''s'"
    assert quote('\\ % _ " \x00') == "'\\ % _ \" \x00'"


def test_in_predicate_of_nothing_matches_nothing() -> None:
    assert in_predicate("path", []) == "false"
    assert in_predicate("path", ["a", "b'"]) == "path IN ('a', 'b''')"


@pytest.mark.parametrize("prefix", ["", "/", "//", ".", "./"])
def test_scope_of_the_root_is_everything(prefix: str) -> None:
    assert path_scope(prefix) is None


@pytest.mark.parametrize("prefix", ["docs", "/docs", "docs/", "./docs//"])
def test_scope_is_a_page_or_a_folder(prefix: str) -> None:
    assert path_scope(prefix) == "(path = 'docs' OR (path >= 'docs/' AND path < 'docs0'))"


@pytest.mark.parametrize("prefix", ["..", "docs/../secret", "/..", "\ud800", "x" * (MAX_SCOPE_LENGTH + 1)])
def test_scope_that_cannot_be_is_refused(prefix: str) -> None:
    with pytest.raises(InvalidFilter) as caught:
        path_scope(prefix)
    assert list(caught.value.problems) == ["path_prefix"]


def test_name_with_dots_is_no_step_upwards() -> None:
    assert path_scope("a..b/...") is not None


def test_attributes_are_typed_distinct_and_one_an_element() -> None:
    assert attributes(
        {"status": "draft", "size": 3, "ratio": -0.0, "done": True, "a=b%": ("x", "x", 1.5), "huge": 10**400}
    ) == (
        "status=s:draft",
        "size=n:3.0",
        "ratio=n:0.0",
        "done=b:true",
        "a%3Db%25=s:x",
        "a%3Db%25=n:1.5",
        f"huge=s:{10**400}",
    )


def test_filter_compiles_to_one_predicate() -> None:
    content = {
        "type": "and",
        "filters": [
            {"type": "ne", "key": "status", "value": "it's"},
            {"type": "in", "key": "tags", "value": ["a", "b"]},
            {"type": "or", "filters": [{"type": "gt", "key": "size", "value": 3}]},
            {"type": "gte", "key": "modified", "value": 5},
        ],
    }
    asked: list[Comparison] = []

    def matching_pages(comparison: Comparison) -> list[str]:
        asked.append(comparison)
        return ["p1", "p2"]

    assert compile_filter(parse_filter(content), matching_pages) == (
        "(NOT (array_has(attrs, 'status=s:it''s')) AND array_has_any(tags, ['a', 'b'])"
        " AND (page_id IN ('p1', 'p2')) AND modified >= 5.0)"
    )
    assert asked == [Comparison(type="gt", key="size", value=3)]


@pytest.mark.parametrize(
    ("kind", "value", "found", "expected"),
    [
        ("eq", 3, 3.0, True),
        ("eq", 3, "3", False),
        ("eq", 1, True, False),
        ("eq", "a", ("b", "a"), True),
        ("ne", "a", ("b", "a"), False),
        ("ne", "a", "b", True),
        ("in", ("a", 1), 1, True),
        ("nin", ("a", 1), 1, False),
        ("gt", 3, 3.5, True),
        ("gt", 3, True, False),
        ("gt", 3, "4", False),
        ("gte", "2024-01-01", "2024-01-01", True),
        ("lt", "2024-01-01", "2023-12-31T10:00", True),
        ("lte", 2, (5, 1), True),
    ],
)
def test_values_match_by_type(kind: ComparisonType, value: object, found: object, expected: bool) -> None:
    assert matches(Comparison(type=kind, key="k", value=value), {"k": found}) is expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("eq", False), ("gt", False), ("ne", True)],
)
def test_page_without_the_key_matches_negations_only(kind: ComparisonType, expected: bool) -> None:
    assert matches(Comparison(type=kind, key="k", value=1), {"other": 1}) is expected


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        ("eq", "u\u0308", "e\u0301"),
        ("in", "\u00fc", ("x", "\u00e9")),
        ("eq", "at", "2026-01-05T10:30:00Z"),
        ("eq", "at", "2026-01-05 10:30:00+00:00"),
        ("gte", "at", "2026-01-05T10:30:00Z"),
        ("eq", "as written", "2026-01-05T10:30:00Z"),
    ],
)
def test_text_may_be_spelled_otherwise(kind: ComparisonType, key: str, value: Any) -> None:
    values = {"\u00fc": "\u00e9", "at": "2026-01-05T10:30:00+00:00", "as written": "2026-01-05T10:30:00Z"}
    comparison = Comparison(type=kind, key=key, value=value)
    assert matches(comparison, values)
    if kind != "gte":
        predicate = compile_filter(comparison, lambda comparison: [])
        assert any(quote(attribute) in predicate for attribute in attributes(values))
