"""What LanceDB selects is what a filter says, whatever its values hold."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import lancedb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking.model import Scalar
from retrieval.filters import Comparison, Filter, parse_filter
from retrieval.predicates import attributes, compile_filter, in_predicate, matches, path_scope, quote

Values = Mapping[str, Scalar | tuple[Scalar, ...]]
Select = Callable[[str], set[int]]

PIECES = (
    "a",
    "'",
    "''",
    '"',
    "`",
    "\\",
    "%",
    "_",
    "*",
    "/",
    "..",
    ";",
    "--",
    "/*",
    "*/",
    "#",
    "\0",
    "\n",
    "\r",
)
PIECES += (
    "=",
    ":",
    "s:",
    "n:",
    "$1",
    "?",
    "{",
    "}",
    "[",
    ")",
    " OR 1=1",
    "é",
    "е",
    "\u202e",
    "\ufb01",
    "😀",
    " ",
)
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join)
KEYS = st.sampled_from(["owner", "o'wner", "o=s:", "%3D", "a' OR '1'='1", "key\0", "Owner"])
NUMBERS = st.one_of(st.integers(-3, 3), st.sampled_from([0.5, -0.0, 1e16, 1e-7, 2**53 + 1, -1e300]))
SCALARS = st.one_of(TEXTS, NUMBERS, st.booleans())
ROWS: list[tuple[str, tuple[str, ...], float, Values]] = [
    (
        f"{first}{second}.md",
        (first, second),
        position * 1e3,
        {"owner": first, "o'wner": (second, position % 3)},
    )
    for position, (first, second) in enumerate(zip(PIECES, reversed(PIECES), strict=True))
]
ROWS += [(f"folder/{text}/page.md", (text,), 1e16, {"a' OR '1'='1": text, "o=s:": True}) for text in PIECES]
SCHEMA = pa.schema(
    [
        ("path", pa.string()),
        ("page_id", pa.string()),
        ("tags", pa.list_(pa.string())),
        ("attrs", pa.list_(pa.string())),
        ("modified", pa.float64()),
    ]
)


def comparisons() -> st.SearchStrategy[dict[str, Any]]:
    """Comparisons over every kind of key, with values that rows have and others."""
    known = [path for path, *_ in ROWS]
    return st.one_of(
        compare(st.just("path"), st.one_of(TEXTS, st.sampled_from(known)), ranges=True),
        compare(st.just("tags"), TEXTS, ranges=False),
        compare(st.just("modified"), NUMBERS | st.sampled_from([1e3, 5e3]), ranges=True),
        compare(KEYS, TEXTS | NUMBERS, ranges=True),
        compare(KEYS, SCALARS, ranges=False),
    )


def compare(
    keys: st.SearchStrategy[str], values: st.SearchStrategy[Any], *, ranges: bool
) -> st.SearchStrategy[dict[str, Any]]:
    single = ["eq", "ne", *(("gt", "gte", "lt", "lte") if ranges else ())]
    one = st.fixed_dictionaries({"type": st.sampled_from(single), "key": keys, "value": values})
    several = st.lists(values, min_size=1, max_size=3)
    return one | st.fixed_dictionaries(
        {"type": st.sampled_from(["in", "nin"]), "key": keys, "value": several}
    )


FILTERS = st.recursive(
    comparisons(),
    lambda inner: st.fixed_dictionaries(
        {"type": st.sampled_from(["and", "or"]), "filters": st.lists(inner, min_size=1, max_size=3)}
    ),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def select(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Select]:
    """Returns the numbers of the rows that LanceDB finds by a predicate."""
    content = [
        {
            "path": path,
            "page_id": str(number),
            "tags": tags,
            "attrs": attributes(values),
            "modified": modified,
        }
        for number, (path, tags, modified, values) in enumerate(ROWS)
    ]
    with asyncio.Runner() as runner:
        database = runner.run(lancedb.connect_async(str(tmp_path_factory.mktemp("predicates"))))
        table = runner.run(database.create_table("pages", pa.Table.from_pylist(content, SCHEMA)))

        def select_rows(predicate: str) -> set[int]:
            found = runner.run(table.query().where(predicate).select(["page_id"]).to_arrow())
            return {int(number) for number in found["page_id"].to_pylist()}

        yield select_rows


def holds(filter: Filter, number: int) -> bool:
    """Says in plain Python whether a row fits a filter."""
    if not isinstance(filter, Comparison):
        parts = [holds(part, number) for part in filter.filters]
        return all(parts) if filter.type == "and" else any(parts)
    path, tags, modified, values = ROWS[number]
    everything: Values = {**values, "path": path, "tags": tags, "modified": modified}
    found = everything.get(filter.key, ())
    wanted = filter.value if isinstance(filter.value, tuple) else (filter.value,)
    pairs = [(one, two) for one in (found if isinstance(found, tuple) else (found,)) for two in wanted]
    alike = [
        (float(one), float(two))
        if isinstance(one, int | float) and isinstance(two, int | float)
        else (one, two)
        for one, two in pairs
        if isinstance(one, bool) == isinstance(two, bool) and isinstance(one, str) == isinstance(two, str)
    ]
    match filter.type:
        case "eq" | "in":
            return any(one == two for one, two in alike)
        case "ne" | "nin":
            return not any(one == two for one, two in alike)
        case "gt":
            return any(one > two for one, two in alike)
        case "gte":
            return any(one >= two for one, two in alike)
        case "lt":
            return any(one < two for one, two in alike)
        case _:
            return any(one <= two for one, two in alike)


def find_pages(comparison: Comparison) -> list[str]:
    return [str(number) for number, (*_, values) in enumerate(ROWS) if matches(comparison, values)]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=FILTERS)
def test_a_filter_selects_what_it_says(select: Select, content: dict[str, Any]) -> None:
    parsed = parse_filter(content)
    expected = {number for number in range(len(ROWS)) if holds(parsed, number)}
    assert select(compile_filter(parsed, find_pages)) == expected


@settings(max_examples=100, deadline=None)
@given(
    prefix=st.one_of(TEXTS, TEXTS.map("folder/{}".format), st.sampled_from(["folder", "folder/", "./folder"]))
)
def test_a_scope_holds_a_page_or_a_folder(select: Select, prefix: str) -> None:
    steps = [step for step in prefix.split("/") if step not in ("", ".")]
    if ".." in steps:
        return
    scope = "/".join(steps)
    expected = {
        number
        for number, (path, *_) in enumerate(ROWS)
        if not scope or path == scope or path.startswith(f"{scope}/")
    }
    assert select(path_scope(prefix) or "true") == expected


@settings(max_examples=100, deadline=None)
@given(texts=st.lists(st.one_of(TEXTS, st.sampled_from([path for path, *_ in ROWS])), max_size=4))
def test_a_path_is_looked_up_as_it_is(select: Select, texts: list[str]) -> None:
    expected = {number for number, (path, *_) in enumerate(ROWS) if path in texts}
    assert select(in_predicate("path", texts)) == expected
    for text in texts:
        assert select(f"path = {quote(text)}") == {n for n in expected if ROWS[n][0] == text}
