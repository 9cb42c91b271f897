"""Files of an index that are missing, damaged, or of another version."""

import json
import random
import shutil
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

import lancedb
import pytest
from fakes import FakeEmbedder
from workbench import Workbench

from indexer.errors import RootEmpty
from indexer.options import RunMode
from retrieval.embedding.port import EmbeddingRole, Vectors
from retrieval.reader import IndexReader
from retrieval.schema import SCHEMA_VERSION
from retrieval.store import (
    IndexDamaged,
    IndexFormatUnknown,
    IndexMissing,
    IndexOutdated,
    IndexTooNew,
    Snapshot,
)

pytestmark = pytest.mark.anyio

ENDINGS = {"_versions": "manifest", "data": "lance"}
WIKI = {
    "steady.md": "# Steady\n\nzorbsteady [[other]]\n",
    "other.md": "# Other\n\nzorbother\n\n## More\n\nof it\n",
}


class InterruptedEmbedder(FakeEmbedder):
    """A fake embedder; before it embeds something else happens."""

    def __init__(self, happen: Callable[[], None]) -> None:
        super().__init__(window=64)
        self._happen = happen

    def embed(self, texts: Sequence[str], role: EmbeddingRole) -> Vectors:
        self._happen()
        return super().embed(texts, role)


def files_of(bench: Workbench, table: str, folder: str) -> list[Path]:
    """Returns the files in a folder of a table, the newest first."""
    found = Path(bench.uri).glob(f"{table}*.lance/{folder}/*.{ENDINGS[folder]}")
    return sorted(found, key=lambda file: file.stat().st_mtime_ns, reverse=True)


def empty(file: Path) -> None:
    file.write_bytes(b"")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def garble(file: Path) -> None:
    file.write_bytes(random.Random(0).randbytes(file.stat().st_size))


async def read_all(bench: Workbench) -> None:
    reader = IndexReader(bench.uri)

    async def read(snapshot: Snapshot) -> None:
        for table in snapshot.generation.tables:
            await snapshot.rows(table, columns=["term"] if table == "terms" else ["path"])

    try:
        await reader.read(read)
    finally:
        reader.close()


@pytest.mark.parametrize("harm", [garble, Path.unlink])
@pytest.mark.parametrize(
    ("table", "folder"),
    [
        ("head", "data"),
        ("generations", "data"),
        ("pages", "_versions"),
        ("pages", "data"),
        ("links", "data"),
        ("chunk_vectors", "_versions"),
        ("embeddings", "data"),
    ],
)
async def test_a_damaged_file_is_named_as_damage_and_a_full_run_heals_it(
    tmp_path: Path, table: str, folder: str, harm: Callable[[Path], None]
) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    for file in files_of(bench, table, folder)[: 1 if folder == "_versions" else None]:
        harm(file)
    # Vectors kept by text belong to no generation: the run makes them again without a word.
    with nullcontext() if table == "embeddings" else pytest.raises(IndexDamaged, match="--full"):
        await read_all(bench)
        bench.write("steady.md", WIKI["steady.md"] + "\nzorbnew\n")
        await bench.run()
    report = await bench.run("full")
    assert report.pages.total == len(WIKI)
    assert await bench.rows() == await bench.fresh_rows()


@pytest.mark.parametrize("harm", [empty, cut])
@pytest.mark.parametrize("table", ["head", "pages"])
async def test_a_file_that_was_not_written_to_its_end_is_damage(
    tmp_path: Path, table: str, harm: Callable[[Path], None]
) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    harm(files_of(bench, table, "_versions")[0])
    with pytest.raises(IndexDamaged):
        await read_all(bench)
    await bench.run("full")
    assert await bench.rows() == await bench.fresh_rows()


@pytest.mark.parametrize("mode", ["incremental", "full"])
async def test_what_is_no_folder_is_no_index_and_is_left_alone(tmp_path: Path, mode: RunMode) -> None:
    bench = Workbench(tmp_path, WIKI)
    Path(bench.uri).write_text("something else")
    with pytest.raises(IndexFormatUnknown, match="another place"):
        await bench.run(mode)
    assert Path(bench.uri).read_text() == "something else"
    Path(bench.uri).unlink()
    Path(bench.uri).symlink_to(tmp_path / "nowhere")
    with pytest.raises(IndexFormatUnknown, match="another place"):
        await bench.run(mode)


async def test_a_table_head_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    database = await lancedb.connect_async(bench.uri)
    for name in ("head", "generations"):
        await database.create_table(name, [{"colour": "red"}])
    for mode in ("incremental", "full"):
        with pytest.raises(IndexFormatUnknown, match="another place"):
            await bench.run(mode)
    assert await (await database.open_table("head")).count_rows() == 1


@pytest.mark.parametrize("name", ["chunks-*", "generations.*"])
async def test_a_missing_table_is_damage(tmp_path: Path, name: str) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    (table,) = Path(bench.uri).glob(name)
    shutil.rmtree(table)
    with pytest.raises(IndexDamaged):
        await bench.search("zorbsteady")
    with pytest.raises(IndexDamaged):
        await bench.run()
    await bench.run("full")
    assert await bench.found("zorbsteady") == {"steady.md"}


@pytest.mark.parametrize(
    "change",
    [
        {"generation": "-1"},
        {"generation": "9"},
        {"epoch": "9223372036854775807"},
        {"epoch": "-1"},
        {"expires": "CAST('NaN' AS DOUBLE)"},
        {"expires": "CAST('inf' AS DOUBLE)"},
    ],
)
async def test_a_head_that_no_run_wrote_is_damage(tmp_path: Path, change: dict[str, str]) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    database = await lancedb.connect_async(bench.uri)
    await (await database.open_table("head")).update(updates_sql=change)
    with pytest.raises(IndexDamaged, match="--full"):
        await bench.search("zorbsteady")
    bench.write("new.md", "# New\n\nzorbnew\n")
    with pytest.raises(IndexDamaged, match="--full"):
        await bench.run()
    await bench.run("full")
    assert await bench.found("zorbnew") == {"new.md"}


async def test_an_index_that_is_removed_and_made_anew_is_noticed(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    reader = IndexReader(bench.uri)

    async def texts(snapshot: Snapshot) -> list[str]:
        return sorted((await snapshot.rows("pages", columns=["text"]))["text"].to_pylist())

    await bench.run()
    assert await reader.read(texts) == sorted(WIKI.values())
    for edits in range(4):
        shutil.rmtree(bench.uri)
        if edits % 2:
            with pytest.raises(IndexMissing):
                await reader.read(texts)
            assert not Path(bench.uri).exists()
        for edit in range(edits + 1):
            bench.write("other.md", f"# Other\n\nof index {edits} and edit {edit}\n")
            await bench.run()
        assert await reader.read(texts) == sorted([WIKI["steady.md"], (bench.root / "other.md").read_text()])
    reader.close()


async def test_an_index_removed_while_a_run_writes_it_is_said_to_be(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    bench.write("new.md", "# New\n")
    bench.embedder = InterruptedEmbedder(lambda: shutil.rmtree(bench.uri, ignore_errors=True))
    with pytest.raises(IndexMissing, match="removed"):
        await bench.run()
    bench.embedder = FakeEmbedder(window=64)
    assert (await bench.run()).pages.total == 3
    assert await bench.rows() == await bench.fresh_rows()


async def set_version(bench: Workbench, change: Callable[[dict[str, int]], None]) -> None:
    """Lets the index be one of another version."""
    database = await lancedb.connect_async(bench.uri)
    log = await database.open_table("generations")
    for row in (await log.query().to_arrow()).to_pylist():
        record = json.loads(row["record"])
        change(record["build"])
        await log.update({"record": json.dumps(record)}, where=f"number = {row['number']}")


async def test_an_index_of_an_older_version_is_built_anew_by_the_next_run(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    await set_version(bench, lambda build: build.update(schema=SCHEMA_VERSION - 1))
    with pytest.raises(IndexOutdated, match="wikitrail index"):
        await bench.search("zorbsteady")
    report = await bench.run()
    assert (report.generation, report.chunks.embedded) == (3, 0)
    assert await bench.rows() == await bench.fresh_rows()


@pytest.mark.parametrize("more", [{}, {"colour": 7}])
async def test_an_index_of_a_newer_version_is_left_alone_unless_it_is_rebuilt(
    tmp_path: Path, more: dict[str, int]
) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    await set_version(bench, lambda build: build.update(schema=SCHEMA_VERSION + 1, **more))
    for work in (bench.search("zorbsteady"), bench.run(), bench.indexer().preview()):
        with pytest.raises(IndexTooNew, match="upgrade"):
            await work
    await bench.run("full")
    assert await bench.rows() == await bench.fresh_rows()


async def test_an_old_version_over_an_unmounted_wiki_is_not_emptied(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, WIKI)
    await bench.run()
    await set_version(bench, lambda build: build.update(schema=SCHEMA_VERSION - 1))
    for path in WIKI:
        bench.delete(path)
    with pytest.raises(RootEmpty, match="2 pages"):
        await bench.run()
