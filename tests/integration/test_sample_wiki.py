"""The wiki of `wikitrail demo`: links lead somewhere, but for the two that show what else can happen."""

from importlib.resources import files
from pathlib import Path

import pytest
from fakes import FakeCounter

from chunking import ChunkingOptions, Page, decode, parse_page
from indexer.linking import outline_for_links
from indexer.name_index import NameIndex
from indexer.names import PageNames
from indexer.resolver import resolve
from indexer.scan import read_page, scan_wiki
from retrieval.outline import Outline

ROOT = Path(str(files("service").joinpath("sample_wiki")))


@pytest.fixture(scope="module")
def wiki() -> dict[str, Page]:
    options, counter = ChunkingOptions(), FakeCounter()
    texts = {file.path: decode(read_page(ROOT, file.path)).text for file in scan_wiki(ROOT).files}
    return {path: parse_page(path, text, options=options, counter=counter) for path, text in texts.items()}


def test_it_is_clean(wiki: dict[str, Page]) -> None:
    assert len(wiki) == 30
    assert scan_wiki(ROOT).issues == ()
    assert [issue for page in wiki.values() for issue in page.issues] == []


def test_one_link_dangles_and_one_is_ambiguous(wiki: dict[str, Page]) -> None:
    names = NameIndex(
        (PageNames(path=page.path, title=page.title, aliases=page.aliases) for page in wiki.values()),
        scan_wiki(ROOT).assets,
    )
    outlines = {
        path: outline_for_links(Outline(sections=page.sections, blocks=page.blocks))
        for path, page in wiki.items()
    }
    trouble = [
        (page.path, link.target, found.status)
        for page in wiki.values()
        for link in page.links
        if (found := resolve(link, page.path, names, outlines.__getitem__)).status
        not in ("resolved", "asset")
    ]
    assert trouble == [
        ("index.md", "Scanning the paper rolls", "unresolved"),
        ("index.md", "Checklist", "ambiguous"),
    ]


def test_it_shows_every_feature_once(wiki: dict[str, Page]) -> None:
    links = [link for page in wiki.values() for link in page.links]
    assert {link.kind for link in links} >= {"wikilink", "embed", "markdown"}
    assert any(link.block for link in links)
    assert any(link.heading and link.alias for link in links)
    assert [path for path, page in wiki.items() if not any(s.heading_path for s in page.sections)] == [
        "notes/Scraps.md"
    ]
