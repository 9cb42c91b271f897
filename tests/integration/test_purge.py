"""After a purge no file of the index holds what was deleted."""

from pathlib import Path

import pytest
from fakes import FakeEmbedder

from indexer.options import IndexOptions
from indexer.purge import purge_index
from indexer.run import Indexer
from retrieval.pages import PageQuery, read_page
from retrieval.reader import IndexReader
from retrieval.store import GenerationMissing, IndexMissing, open_store

pytestmark = pytest.mark.anyio

# Long and of its own kind, so that no compression of the files can hide it.
SECRET = "zorbsecretzorbsecret"


def files_with(word: str, folder: Path) -> list[str]:
    return [
        str(file.relative_to(folder))
        for file in sorted(folder.rglob("*"))
        if word in str(file) or (file.is_file() and word.encode() in file.read_bytes())
    ]


async def index(root: Path, folder: Path, embedder: FakeEmbedder | None) -> None:
    counter = (embedder or FakeEmbedder()).counter
    await Indexer(IndexOptions(root=root, uri=str(folder)), embedder=embedder, counter=counter).run()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "wiki"
    root.mkdir()
    (root / "kept.md").write_text("# Kept\n\nzorbkept [[gone]]\n")
    (root / "gone.md").write_text(f"---\nalias: {SECRET}\n---\n# Gone {SECRET}\n\n{SECRET} text\n")
    return root


async def test_deleted_text_is_in_no_file(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    await index(root, folder, FakeEmbedder())
    (root / "gone.md").unlink()
    await index(root, folder, FakeEmbedder())
    assert files_with(SECRET, folder)
    report = await purge_index(str(folder))
    assert files_with(SECRET, folder) == []
    assert files_with("zorbkept", folder)
    assert report.vectors == 1


async def test_what_lives_is_the_same_and_goes_on(root: Path, tmp_path: Path) -> None:
    folder, embedder = tmp_path / "index", FakeEmbedder()
    await index(root, folder, embedder)
    store = await open_store(str(folder))
    (before, *_) = await store.generations()
    report = await purge_index(str(folder))
    (after,) = await store.generations()
    store.close()
    assert (after.number, after.counts, after.build) == (report.generation, before.counts, before.build)
    reader = IndexReader(str(folder))
    page = await reader.read(lambda snapshot: read_page(snapshot, PageQuery(path="kept.md")))
    assert page.text == "# Kept\n\nzorbkept [[gone]]\n"
    with pytest.raises(GenerationMissing):
        await reader.read(
            lambda snapshot: read_page(snapshot, PageQuery(path="kept.md")), generation=before.number
        )
    reader.close()
    embedder.forget()
    (root / "new.md").write_text("# New\n\ntext\n")
    await index(root, folder, embedder)
    assert {text for role, text in embedder.embedded if role == "chunk"} == {"New\ntext"}


async def test_vectors_of_other_spaces_go(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    await index(root, folder, FakeEmbedder(model="one"))
    await index(root, folder, FakeEmbedder(model="two"))
    assert len(list(folder.glob("embeddings-*"))) == 2
    await purge_index(str(folder))
    assert len(list(folder.glob("embeddings-*"))) == 1


async def test_without_an_index_there_is_nothing_to_purge(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing):
        await purge_index(str(tmp_path / "none"))
    assert list(tmp_path.iterdir()) == []
