"""Every predicate means in LanceDB what it means on paper, whatever the values hold."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest
from lancedb.index import BTree, LabelList

from chunking.model import Scalar
from retrieval.filters import Comparison, parse_filter
from retrieval.predicates import attributes, compile_filter, in_predicate, matches, path_scope, quote

pytestmark = pytest.mark.anyio

HOSTILE = (
    "x' OR '1'='1.md",
    "O'Brien's notes.md",
    "back\\slash'.md",
    "p%_t.md",
    "a'; -- .md",
    "nul\x00.md",
    "中文 😀.md",
    'quo"te.md',
    "line\nbreak.md",
    "''.md",
    "\\'.md",
    "{0} $1 ?.md",
)
FRONTMATTER: tuple[Mapping[str, Scalar | tuple[Scalar, ...]], ...] = (
    {"status": "draft", "size": 3, "done": True},
    {"status": "done", "size": "3", "done": "true"},
    {"size": 3.5, "date": "2024-05-01"},
    {"date": "2023-12-31", "a=s:b": "c"},
    {"a": "b=s:c", "status": ("draft", "x' OR '1'='1")},
    {},
)


def make_row(number: int, path: str, values: Mapping[str, Scalar | tuple[Scalar, ...]]) -> dict[str, Any]:
    return {
        "path": path,
        "page_id": f"{number:032x}",
        "tags": [f"tag-{number % 3}", path],
        "attrs": list(attributes(values)),
        "modified": number * 1_000.5,
    }


ROWS = [make_row(number, path, FRONTMATTER[number % len(FRONTMATTER)]) for number, path in enumerate(HOSTILE)]
SCHEMA = pa.schema(
    [
        ("path", pa.string()),
        ("page_id", pa.string()),
        ("tags", pa.list_(pa.string())),
        ("attrs", pa.list_(pa.string())),
        ("modified", pa.float64()),
    ]
)


@pytest.fixture(params=["flat", "indexed"])
async def table(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    database = await lancedb.connect_async(str(tmp_path))
    table = await database.create_table("chunks", pa.Table.from_pylist(ROWS, SCHEMA))
    if request.param == "indexed":
        for column in ("path", "page_id", "modified"):
            await table.create_index(column, config=BTree())
        for column in ("tags", "attrs"):
            await table.create_index(column, config=LabelList())
    return table


async def select_paths(table: Any, predicate: str) -> list[str]:
    found = await table.query().where(predicate).select(["path"]).to_arrow()
    return sorted(found["path"].to_pylist())


def values_of(row: Mapping[str, Any], number: int) -> dict[str, Any]:
    columns = {"path": row["path"], "tags": tuple(row["tags"]), "modified": row["modified"]}
    return {**FRONTMATTER[number % len(FRONTMATTER)], **columns}


def pages_that_match(comparison: Comparison) -> Sequence[str]:
    return [row["page_id"] for number, row in enumerate(ROWS) if matches(comparison, values_of(row, number))]


async def test_literal_matches_its_own_value_only(table: Any) -> None:
    for path in HOSTILE:
        assert await select_paths(table, f"path = {quote(path)}") == [path]
        assert await select_paths(table, f"array_has(tags, {quote(path)})") == [path]
    assert await select_paths(table, in_predicate("path", HOSTILE)) == sorted(HOSTILE)
    assert await select_paths(table, in_predicate("path", [])) == []


EQUALITIES: tuple[tuple[str, Scalar], ...] = (
    *(("path", path) for path in HOSTILE),
    ("tags", "tag-1"),
    ("tags", "x' OR '1'='1.md"),
    ("modified", 2_001.0),
    ("modified", -1e300),
    ("modified", 1e17),
    ("modified", "1970-01-01T00:33:21Z"),
    ("status", "draft"),
    ("status", "x' OR '1'='1"),
    ("size", 3),
    ("size", 3.25),
    ("size", "3"),
    ("done", True),
    ("done", "true"),
    ("date", "2024-01-01"),
    ("a=s:b", "c"),
    ("a", "b=s:c"),
    ("no' such", "x"),
)
MEMBERSHIPS: tuple[tuple[str, list[Scalar]], ...] = (
    ("path", list(HOSTILE[:5])),
    ("tags", ["tag-0", "a'; -- .md"]),
    ("modified", [0, 1_000.5, 7]),
    ("status", ["draft", "done"]),
    ("size", [3, "3"]),
    ("status", ["no"]),
)


@pytest.mark.parametrize("kind", ["eq", "ne"])
async def test_equality_selects_what_matches(table: Any, kind: str) -> None:
    for key, value in EQUALITIES:
        await check(table, {"type": kind, "key": key, "value": value})


@pytest.mark.parametrize("kind", ["gt", "gte", "lt", "lte"])
async def test_range_selects_what_matches(table: Any, kind: str) -> None:
    for key, value in EQUALITIES:
        if key != "tags" and not isinstance(value, bool):
            await check(table, {"type": kind, "key": key, "value": value})


@pytest.mark.parametrize("kind", ["in", "nin"])
async def test_membership_selects_what_matches(table: Any, kind: str) -> None:
    for key, values in MEMBERSHIPS:
        await check(table, {"type": kind, "key": key, "value": values})


async def check(table: Any, content: Mapping[str, Any]) -> None:
    comparison = parse_filter(content)
    assert isinstance(comparison, Comparison)
    expected = [row["path"] for number, row in enumerate(ROWS) if matches(comparison, values_of(row, number))]
    found = await select_paths(table, compile_filter(comparison, pages_that_match))
    assert found == sorted(expected), content


async def test_compound_combines_its_parts(table: Any) -> None:
    draft = {"type": "eq", "key": "status", "value": "draft"}
    small = {"type": "lt", "key": "modified", "value": 1}
    both = parse_filter({"type": "and", "filters": [draft, small]})
    either = parse_filter({"type": "or", "filters": [draft, {"type": "and", "filters": [small]}]})
    assert await select_paths(table, compile_filter(both, pages_that_match)) == [HOSTILE[0]]
    drafts = [path for number, path in enumerate(HOSTILE) if number % len(FRONTMATTER) in (0, 4)]
    assert await select_paths(table, compile_filter(either, pages_that_match)) == sorted(drafts)


SCOPED = ("docs/a.md", "docs/deep/b.md", "docs-old/x.md", "docs.md", "docs0.md", "my_dir/b.md", "myXdir/c.md")
SCOPED += ("100%/d.md", "100/d.md", "it's/e.md", "back\\slash/f.md")


@pytest.mark.parametrize(
    ("prefix", "paths"),
    [
        ("docs", ["docs/a.md", "docs/deep/b.md"]),
        ("docs/", ["docs/a.md", "docs/deep/b.md"]),
        ("/docs//deep/.", ["docs/deep/b.md"]),
        ("docs/a.md", ["docs/a.md"]),
        ("my_dir", ["my_dir/b.md"]),
        ("100%", ["100%/d.md"]),
        ("it's", ["it's/e.md"]),
        ("back\\slash", ["back\\slash/f.md"]),
        ("docs' OR '1'='1", []),
        ("docs/') OR 1=1 --", []),
        ("docs/%' OR path LIKE '%", []),
        ("docs/\\' OR 1=1 --", []),
        ("DOCS", []),
    ],
)
async def test_scope_holds_the_page_or_what_is_below_the_folder(
    tmp_path: Path, prefix: str, paths: list[str]
) -> None:
    database = await lancedb.connect_async(str(tmp_path))
    table = await database.create_table("pages", pa.table({"path": list(SCOPED)}))
    predicate = path_scope(prefix)
    assert predicate is not None
    assert await select_paths(table, predicate) == paths
