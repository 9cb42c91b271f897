"""Filters that fit the grammar, and what is said about those that do not."""

from typing import Any

import pytest

from retrieval.filters import (
    MAX_COMPARISONS,
    MAX_DEPTH,
    MAX_TEXT_LENGTH,
    MAX_VALUES,
    Comparison,
    Compound,
    InvalidFilter,
    parse_filter,
)


def compare(**changes: Any) -> dict[str, Any]:
    return {"type": "eq", "key": "status", "value": "draft", **changes}


def nest(depth: int) -> dict[str, Any]:
    content = compare()
    for _ in range(depth):
        content = {"type": "and", "filters": [content]}
    return content


def test_comparison_is_read() -> None:
    assert parse_filter(compare()) == Comparison(type="eq", key="status", value="draft")


def test_compound_is_read_with_its_parts() -> None:
    content = {
        "type": "or",
        "filters": [compare(type="in", value=["a", 1, True]), compare(type="gt", value=2)],
    }
    assert parse_filter(content) == Compound(
        type="or",
        filters=(
            Comparison(type="in", key="status", value=("a", 1, True)),
            Comparison(type="gt", key="status", value=2),
        ),
    )


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("1970-01-02", 86_400.0),
        ("1970-01-01T01:00:00", 3_600.0),
        ("1970-01-01T01:00:00+01:00", 0.0),
        ("1970-01-01T00:00:01Z", 1.0),
        (12, 12.0),
        (1.5, 1.5),
    ],
)
def test_modified_is_read_as_seconds(value: object, seconds: float) -> None:
    assert parse_filter(compare(key="modified", value=value)) == Comparison(
        type="eq", key="modified", value=seconds
    )


@pytest.mark.parametrize(
    ("content", "at"),
    [
        (None, "filters"),
        ([], "filters"),
        ("path = 'x'", "filters"),
        ({}, "filters.type"),
        (compare(type="like"), "filters.type"),
        (compare(type=["eq"]), "filters.type"),
        (compare(key=""), "filters.key"),
        (compare(key=3), "filters.key"),
        (compare(key="k" * (MAX_TEXT_LENGTH + 1)), "filters.key"),
        (compare(value=None), "filters.value"),
        (compare(value=["a"]), "filters.value"),
        (compare(value={}), "filters.value"),
        (compare(value=float("nan")), "filters.value"),
        (compare(value=float("inf")), "filters.value"),
        (compare(value=10**400), "filters.value"),
        (compare(value="\ud800"), "filters.value"),
        (compare(value="v" * (MAX_TEXT_LENGTH + 1)), "filters.value"),
        (compare(type="gt", value=True), "filters.value"),
        (compare(type="in", value="a"), "filters.value"),
        (compare(type="in", value=[]), "filters.value"),
        (compare(type="in", value=["a"] * (MAX_VALUES + 1)), "filters.value"),
        (compare(type="in", value=["a", None]), "filters.value[1]"),
        (compare(key="path", value=1), "filters.value"),
        (compare(key="tags", type="gt"), "filters.key"),
        (compare(key="modified", value="yesterday"), "filters.value"),
        (compare(key="modified", value=True), "filters.value"),
        (compare(key="modified", value=10**400), "filters.value"),
        (compare(key="modified", value="10000-01-01"), "filters.value"),
        (compare(filters=[]), "filters.filters"),
        ({"type": "and", "filters": []}, "filters.filters"),
        ({"type": "and", "filters": compare()}, "filters.filters"),
        ({"type": "and", "filters": [compare()] * (MAX_COMPARISONS + 1)}, "filters.filters"),
        ({"type": "and", "filters": [compare(), compare(value=None)]}, "filters.filters[1].value"),
    ],
)
def test_offending_key_is_named(content: object, at: str) -> None:
    with pytest.raises(InvalidFilter) as caught:
        parse_filter(content)
    assert list(caught.value.problems) == [at]
    assert str(caught.value).startswith(f"{at}: ")


def test_all_problems_are_named_at_once() -> None:
    content = {
        "type": "and",
        "filters": [compare(value=None), {"type": "or", "filters": [compare(key=1), compare(extra=1)]}],
    }
    with pytest.raises(InvalidFilter) as caught:
        parse_filter(content, at="query.filters")
    assert list(caught.value.problems) == [
        "query.filters.filters[0].value",
        "query.filters.filters[1].filters[0].key",
        "query.filters.filters[1].filters[1].extra",
    ]


def test_depth_is_bounded() -> None:
    parse_filter(nest(MAX_DEPTH - 1))
    with pytest.raises(InvalidFilter, match=f"deeper than {MAX_DEPTH}"):
        parse_filter(nest(5_000))


def test_number_of_comparisons_is_bounded_over_all_levels() -> None:
    half = {"type": "or", "filters": [compare()] * (MAX_COMPARISONS // 2)}
    parse_filter({"type": "and", "filters": [half, half]})
    with pytest.raises(InvalidFilter, match=f"at most {MAX_COMPARISONS} comparisons"):
        parse_filter({"type": "and", "filters": [half, half, compare()]})
