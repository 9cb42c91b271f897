"""Names that a file system hands out decomposed, asked for as they are typed."""

from pathlib import Path

import pytest
from workbench import Workbench

from retrieval.errors import PageMissing
from retrieval.pages import PageQuery, PageText, read_links, read_page
from retrieval.reader import IndexReader

pytestmark = pytest.mark.anyio

COMPOSED, DECOMPOSED = "\u00fcber", "u\u0308ber"


async def read(reader: IndexReader, path: str) -> PageText:
    return await reader.read(lambda snapshot: read_page(snapshot, PageQuery(path=path)))


async def test_scopes_and_pages_are_found_composed_and_decomposed(tmp_path: Path) -> None:
    bench = Workbench(
        tmp_path, {f"{DECOMPOSED}/{COMPOSED}.md": "# One\n\nzorb\n", "ube.md": "# Two\n\nzorb\n"}
    )
    await bench.run()
    for scope in (COMPOSED, DECOMPOSED, f"{DECOMPOSED}/{COMPOSED}.md"):
        assert await bench.found("zorb", path_prefix=scope) == {f"{DECOMPOSED}/{COMPOSED}.md"}
    assert await bench.found("zorb", path_prefix="\u00fcb") == set()


async def test_a_name_as_it_is_written_beats_its_other_spelling(tmp_path: Path) -> None:
    paths = [f"{COMPOSED}/n.md", f"{DECOMPOSED}/n.md"]
    bench = Workbench(tmp_path, {path: f"# {number}\n\nzorb\n" for number, path in enumerate(paths)})
    await bench.run()
    reader = IndexReader(bench.uri)
    for number, path in enumerate(paths):
        assert await bench.found("zorb", path_prefix=path.removesuffix("/n.md")) == {path}
        page = await read(reader, path)
        assert (page.path, page.title) == (path, str(number))
    reader.close()


async def test_a_page_is_read_by_either_spelling(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {f"{DECOMPOSED}.md": "# One\n\n[[ghost]]\n"})
    await bench.run()
    reader = IndexReader(bench.uri)
    assert (await read(reader, f"{COMPOSED}.md")).path == f"{DECOMPOSED}.md"
    links = await reader.read(lambda snapshot: read_links(snapshot, f"{COMPOSED}.md"))
    assert [link.target for link in links.links] == ["ghost"]
    with pytest.raises(PageMissing):
        await read(reader, "uber.md")
    reader.close()
