"""Reading the chunks of pages: all of them, or of too many the first of each page."""

from collections import defaultdict
from pathlib import Path

import pytest
from workbench import Workbench

from retrieval import dense
from retrieval.dense import read_candidates
from retrieval.store import open_store

pytestmark = pytest.mark.anyio

SECTIONS = {"a-long.md": 30, "b-short.md": 1, "c-longer.md": 40, "d-middle.md": 5}


@pytest.fixture
async def bench(tmp_path: Path) -> Workbench:
    files = {
        path: "".join(f"## Part {number}\n\nwords\n\n" for number in range(count))
        for path, count in SECTIONS.items()
    }
    bench = Workbench(tmp_path, files)
    await bench.run()
    return bench


async def read_ordinals(bench: Workbench, *, where: str | None = None) -> dict[str, list[int]]:
    """Returns the ordinals of the chunks that are read, by page."""
    store = await open_store(bench.uri)
    try:
        found = await read_candidates(await store.snapshot(), "path", SECTIONS, where=where)
    finally:
        store.close()
    ordinals = defaultdict[str, list[int]](list)
    for candidate in found:
        ordinals[candidate.path].append(candidate.ordinal)
    return {path: sorted(read) for path, read in ordinals.items()}


async def test_all_chunks_are_read_where_they_are_not_too_many(bench: Workbench) -> None:
    assert await read_ordinals(bench) == {path: list(range(count)) for path, count in SECTIONS.items()}


@pytest.mark.parametrize(("most", "first"), [(76, 40), (75, 39), (46, 20), (47, 20), (8, 2)])
async def test_of_too_many_each_page_gives_its_first(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, most: int, first: int
) -> None:
    monkeypatch.setattr(dense, "_MOST_CHUNKS", most)
    expected = {path: list(range(min(count, first))) for path, count in SECTIONS.items()}
    assert await read_ordinals(bench) == expected
    assert sum(map(len, expected.values())) <= most


async def test_only_chunks_in_scope_count(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "_MOST_CHUNKS", 10)
    scope = "(path = 'b-short.md' OR path = 'd-middle.md')"
    assert await read_ordinals(bench, where=scope) == {"b-short.md": [0], "d-middle.md": list(range(5))}
