"""The commit protocol, on real tables in a temporary folder."""

import asyncio
import shutil
import time
from pathlib import Path

import lancedb
import pyarrow as pa
import pytest

from retrieval import schema
from retrieval.store import (
    Build,
    Counts,
    Generation,
    GenerationMissing,
    IndexBusy,
    IndexMissing,
    LeaseLost,
    Retention,
    Store,
    open_store,
    open_writer,
)
from retrieval.store.head import take_lease

pytestmark = pytest.mark.anyio

BUILD = Build(
    schema=schema.SCHEMA_VERSION,
    chunker=1,
    analyzer=1,
    dialect="obsidian",
    max_tokens=64,
    tokenizer="words",
    space=None,
    dimension=None,
    model=None,
)
KEEP_LITTLE = Retention(keep_generations=2, keep_for=0)
# Seconds of leases: one that gives no sign of life during a test, and one that is over at once.
SILENT = 1_000.0
MOMENT = 0.2


def term_rows(*terms: str) -> pa.Table:
    rows = [{"term": term, "document_frequency": 1, "page_frequency": 1} for term in terms]
    return pa.Table.from_pylist(rows, schema=schema.TERMS)


async def commit_terms(
    store: Store, *terms: str, removed: str | None = None, retention: Retention = KEEP_LITTLE
) -> Generation:
    async with open_writer(store, retention=retention, clock=time.time) as writer:
        if removed is not None:
            await writer.delete("terms", f"term = '{removed}'")
        await writer.append("terms", term_rows(*terms))
        return await writer.commit(build=BUILD, space=None, counts=Counts(terms=len(terms)), assets="")


def in_an_hour() -> float:
    return time.time() + 3600.0


async def read_terms(store: Store, generation: int | None = None) -> list[str]:
    snapshot = await store.snapshot(generation)
    return sorted((await snapshot.rows("terms", columns=["term"]))["term"].to_pylist())


async def test_a_place_without_an_index_is_named_and_left_alone(tmp_path: Path) -> None:
    with pytest.raises(IndexMissing, match="wikitrail index"):
        await open_store(str(tmp_path / "none"))
    assert list(tmp_path.iterdir()) == []


async def test_an_index_that_many_make_at_once_is_made_once(tmp_path: Path) -> None:
    for number in range(10):
        place = str(tmp_path / str(number))
        stores = await asyncio.gather(*(open_store(place, create=True) for _ in range(8)))
        assert {await store.head_table.version() for store in stores} == {1}
        assert {await store.log_table.version() for store in stores} == {1}


async def test_an_index_whose_making_was_broken_off_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "index" / "head.lance" / "data").mkdir(parents=True)
    with pytest.raises(IndexMissing):
        await open_store(str(tmp_path / "index"))
    store = await open_store(str(tmp_path / "index"), create=True)
    assert (await commit_terms(store, "one")).number == 1


async def test_an_index_without_a_commit_has_no_snapshot(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    with pytest.raises(IndexMissing):
        await store.snapshot()


async def test_nothing_is_visible_before_the_commit_and_all_of_it_after(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    await commit_terms(store, "one")
    async with open_writer(store, retention=KEEP_LITTLE, clock=time.time) as writer:
        await writer.append("terms", term_rows("two"))
        assert await read_terms(store) == ["one"]
        await writer.commit(build=BUILD, space=None, counts=Counts(), assets="")
        assert await read_terms(store) == ["one", "two"]


async def test_a_second_writer_is_refused_while_the_first_holds_the_lease(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    async with open_writer(store, retention=KEEP_LITTLE, clock=time.time):
        other = await open_store(str(tmp_path / "index"))
        with pytest.raises(IndexBusy):
            await commit_terms(other, "two")
    assert (await commit_terms(store, "three")).number == 1


async def test_rows_of_a_run_that_died_are_not_published_by_the_next(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    await commit_terms(store, "kept")
    async with open_writer(store, retention=KEEP_LITTLE, clock=time.time) as writer:
        await writer.append("terms", term_rows("garbage"))
        await writer.delete("terms", "term = 'kept'")
    await commit_terms(store, "new")
    assert await read_terms(store) == ["kept", "new"]


async def test_a_writer_whose_lease_ran_out_publishes_nothing(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    await commit_terms(store, "one")
    with pytest.raises(LeaseLost):
        async with open_writer(store, retention=KEEP_LITTLE, clock=time.time, lease_seconds=SILENT) as zombie:
            await zombie.append("terms", term_rows("zombie"))
            async with open_writer(
                store, retention=KEEP_LITTLE, clock=in_an_hour, lease_seconds=MOMENT
            ) as heir:
                await heir.append("terms", term_rows("heir"))
                await heir.commit(build=BUILD, space=None, counts=Counts(), assets="")
            await zombie.commit(build=BUILD, space=None, counts=Counts(), assets="")
    assert await read_terms(store) == ["heir", "one"]


async def test_a_writer_that_was_stopped_for_longer_than_its_lease_writes_no_more(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    with pytest.raises(LeaseLost):
        async with open_writer(store, retention=KEEP_LITTLE, clock=time.time, lease_seconds=MOMENT) as writer:
            await writer.append("terms", term_rows("one"))
            time.sleep(2 * MOMENT)
            await writer.append("terms", term_rows("two"))
    assert (await store.head()).generation == 0


@pytest.mark.parametrize("ahead", [-86_400.0, 0.0, 86_400.0])
async def test_a_living_writer_keeps_the_lease_whatever_another_clock_says(
    tmp_path: Path, ahead: float
) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    async with open_writer(store, retention=KEEP_LITTLE, clock=time.time, lease_seconds=1.0) as writer:
        other = await open_store(str(tmp_path / "index"))
        with pytest.raises(IndexBusy):
            async with open_writer(
                other, retention=KEEP_LITTLE, clock=lambda: time.time() + ahead, lease_seconds=1.0
            ):
                pass
        await writer.append("terms", term_rows("one"))
        await writer.commit(build=BUILD, space=None, counts=Counts(), assets="")
    assert await read_terms(store) == ["one"]


@pytest.mark.parametrize("ahead", [-86_400.0, 86_400.0])
async def test_a_dead_writer_of_another_machine_gives_way_whatever_its_clock_said(
    tmp_path: Path, ahead: float
) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    head = await store.head()
    expires = time.time() + ahead
    assert await take_lease(store.head_table, head, holder="elsewhere|1|2|3", expires=expires)
    async with open_writer(store, retention=KEEP_LITTLE, clock=time.time, lease_seconds=MOMENT) as writer:
        await writer.append("terms", term_rows("one"))
        await writer.commit(build=BUILD, space=None, counts=Counts(), assets="")
    assert await read_terms(store) == ["one"]


async def test_a_writer_of_an_index_that_was_made_anew_is_not_taken_for_one_of_it(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    with pytest.raises(LeaseLost):
        async with open_writer(store, retention=KEEP_LITTLE, clock=time.time) as writer:
            await writer.append("terms", term_rows("old"))
            shutil.rmtree(tmp_path / "index")
            anew = await open_store(str(tmp_path / "index"), create=True)
            async with open_writer(anew, retention=KEEP_LITTLE, clock=time.time) as heir:
                await heir.append("terms", term_rows("new"))
                with pytest.raises(LeaseLost):
                    await writer.commit(build=BUILD, space=None, counts=Counts(), assets="")
                await heir.commit(build=BUILD, space=None, counts=Counts(), assets="")
            await writer.append("terms", term_rows("old"))
    assert await read_terms(await open_store(str(tmp_path / "index"))) == ["new"]


async def test_a_write_between_two_of_ours_stops_the_run(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    first = await commit_terms(store, "one")
    with pytest.raises(LeaseLost):
        async with open_writer(store, retention=KEEP_LITTLE, clock=time.time) as writer:
            await writer.append("terms", term_rows("two"))
            database = await lancedb.connect_async(str(tmp_path / "index"))
            table = await database.open_table(first.tables["terms"].physical)
            await table.add(term_rows("intruder"))
            await writer.append("terms", term_rows("three"))
    assert await read_terms(store) == ["one"]


async def test_an_old_generation_can_be_read_and_activated(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    keep = Retention(keep_generations=5)
    await commit_terms(store, "one", retention=keep)
    await commit_terms(store, "two", removed="one", retention=keep)
    assert await read_terms(store, 1) == ["one"]
    (old,) = [generation for generation in await store.generations() if generation.number == 1]
    async with open_writer(store, retention=keep, clock=time.time) as writer:
        assert (await writer.activate(old)).number == 3
    assert await read_terms(store) == ["one"]
    await commit_terms(store, "three", retention=keep)
    assert await read_terms(store) == ["one", "three"]


async def test_a_generation_that_is_not_kept_is_refused_by_number(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    await commit_terms(store, "one")
    with pytest.raises(GenerationMissing, match="generation 7"):
        await store.snapshot(7)


async def test_a_table_begun_anew_replaces_the_old_one_at_the_commit(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    first = await commit_terms(store, "old")
    async with open_writer(
        store, retention=Retention(keep_generations=1, keep_for=0), clock=time.time
    ) as writer:
        await writer.start_table("terms")
        await writer.append("terms", term_rows("new"))
        assert await read_terms(store) == ["old"]
        second = await writer.commit(build=BUILD, space=None, counts=Counts(), assets="")
    assert await read_terms(store) == ["new"]
    assert first.tables["terms"].physical != second.tables["terms"].physical
    assert not (tmp_path / "index" / f"{first.tables['terms'].physical}.lance").exists()


async def test_a_reader_through_a_hundred_commits_and_cleanups_never_fails(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    await commit_terms(store, "stays", "t0")
    reader = await open_store(str(tmp_path / "index"))
    reads: list[list[str]] = []
    done = asyncio.Event()

    async def read() -> None:
        while not done.is_set():
            reads.append(await read_terms(reader))
            await asyncio.sleep(0)

    reading = asyncio.create_task(read())
    for number in range(1, 101):
        await commit_terms(store, f"t{number}", removed=f"t{number - 1}", retention=Retention(keep_for=2))
    done.set()
    await reading
    assert len(reads) > 100
    assert all("stays" in terms and len(terms) == 2 for terms in reads)
    assert await read_terms(reader) == ["stays", "t100"]


async def test_many_commits_leave_few_files(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "index"), create=True)
    await commit_terms(store, "t0")
    for number in range(1, 40):
        await commit_terms(store, f"t{number}", removed=f"t{number - 1}")
    files = [path for path in (tmp_path / "index").rglob("*") if path.is_file()]
    assert len(files) < 200
