"""A catalogue over real tables: live pages only, in the order asked for, and not too many."""

from pathlib import Path

import pytest
from workbench import Workbench

from indexer.rows import page_id
from retrieval.llm.catalogue import MAX_PAGES, make_catalogue
from retrieval.llm.port import PageCard
from retrieval.store import open_store

pytestmark = pytest.mark.anyio


async def catalogue(bench: Workbench, *paths: str) -> tuple[PageCard, ...]:
    store = await open_store(bench.uri)
    try:
        return await make_catalogue(await store.snapshot(), [page_id(path) for path in paths])
    finally:
        store.close()


async def test_cards_have_the_order_asked_for_and_no_page_twice(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"a.md": "# Alpha\n\nfirst\n", "it's.md": "# Beta\n\n## Part\n\nsecond\n"})
    await bench.run()
    assert await catalogue(bench, "it's.md", "a.md", "it's.md") == (
        PageCard(page_id=page_id("it's.md"), path="it's.md", title="Beta", summary="Part. second"),
        PageCard(page_id=page_id("a.md"), path="a.md", title="Alpha", summary="first"),
    )


async def test_pages_that_are_gone_are_left_out(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"a.md": "alpha\n", "b.md": "beta\n"})
    await bench.run()
    bench.delete("a.md")
    await bench.run()
    assert [card.path for card in await catalogue(bench, "a.md", "never.md", "b.md")] == ["b.md"]
    assert await catalogue(bench, "a.md") == ()
    assert await catalogue(bench) == ()


async def test_a_catalogue_is_bounded(tmp_path: Path) -> None:
    paths = [f"{number:02}.md" for number in range(MAX_PAGES + 5)]
    bench = Workbench(tmp_path, {path: f"page {path}\n" for path in paths})
    await bench.run()
    assert [card.path for card in await catalogue(bench, *paths)] == paths[:MAX_PAGES]
