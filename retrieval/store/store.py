"""An index at one place: who reads it gets a snapshot, who writes it a writer."""

import asyncio
from contextlib import suppress
from typing import Any

from retrieval.schema import SCHEMA_VERSION
from retrieval.store import head as heads
from retrieval.store import log
from retrieval.store.errors import (
    GenerationMissing,
    IndexDamaged,
    IndexMissing,
    IndexOutdated,
    IndexTooNew,
    SnapshotLost,
    StoreError,
)
from retrieval.store.founding import found_index, open_tables, renew_index
from retrieval.store.generation import Generation
from retrieval.store.head import Head
from retrieval.store.snapshot import Snapshot
from retrieval.store.tables import connect, translated

# A cleanup may take away the version of head or log that is being read; the next try finds a newer one.
_TRIES = 3
_CONTRADICTORY = "the log of the index contradicts its head; rebuild the index with `wikitrail index --full`"
_INCOMPLETE = "files of the index are missing; rebuild the index with `wikitrail index --full`"


class Store:
    """The tables at a URI. Opened by `open_store`; a snapshot of the newest generation is kept open."""

    def __init__(self, database: Any, head: Any, log_table: Any) -> None:
        self.database = database
        self.head_table = head
        self.log_table = log_table
        self._newest: Snapshot | None = None
        self._opening = asyncio.Lock()

    async def head(self) -> Head:
        """Reads which generation counts now."""
        for _ in range(_TRIES - 1):
            with suppress(SnapshotLost):
                return await self._read_head()
        return await self._read_head()

    async def _read_head(self) -> Head:
        async with translated():
            return await heads.read_head(self.head_table)

    async def generations(self) -> tuple[Generation, ...]:
        """Returns the committed generations that the log still holds, newest first.

        Raises:
            IndexDamaged: The log does not know the newest one.
            SnapshotLost: It was shortened while it was read.
        """
        return await self._history(await self.head())

    async def _history(self, head: Head) -> tuple[Generation, ...]:
        for _ in range(_TRIES):
            with suppress(SnapshotLost):
                history = await log.history(self.log_table, head)
                if history and history[0].number != head.generation:
                    raise IndexDamaged(_CONTRADICTORY)
                if history or not head.generation:
                    return history
        raise await self.explain_loss(head.commit_id)

    async def explain_loss(self, commit_id: str) -> StoreError:
        """Returns what it means that files of a generation are gone.

        No cleanup takes those of the newest: they were removed by something else.
        """
        if (await self.head()).commit_id == commit_id:
            return IndexDamaged(_INCOMPLETE)
        return SnapshotLost("the index moved on while it was read; ask again")

    async def snapshot(self, number: int | None = None) -> Snapshot:
        """Pins the newest generation, or the one with this number.

        Raises:
            IndexMissing: Nothing was committed yet.
            GenerationMissing: That generation is not kept.
            IndexOutdated, IndexTooNew: It has the tables of another version.
            IndexDamaged: Files of the newest one are missing.
        """
        head = await self.head()
        if head.generation == 0:
            raise IndexMissing("the index holds no generation yet; run `wikitrail index`")
        if number is None or number == head.generation:
            return await self._pin_newest(head)
        for generation in await self._history(head):
            if generation.number == number:
                return await self._open_kept(generation)
        raise GenerationMissing(f"generation {number} is not kept; the newest is {head.generation}")

    async def _pin_newest(self, head: Head) -> Snapshot:
        async with self._opening:
            if self._newest is None or self._newest.generation.commit_id != head.commit_id:
                newest = (await self._history(head))[0]
                # The one before stays open for the queries that still read it; the last of them frees it.
                self._newest = await self._open_newest(newest)
            return self._newest

    async def _open_newest(self, generation: Generation) -> Snapshot:
        _refuse_other_version(generation)
        try:
            return await Snapshot.open(self.database, generation)
        except SnapshotLost as error:
            raise await self.explain_loss(generation.commit_id) from error

    async def _open_kept(self, generation: Generation) -> Snapshot:
        _refuse_other_version(generation)
        try:
            return await Snapshot.open(self.database, generation)
        except SnapshotLost:
            raise GenerationMissing(f"the files of generation {generation.number} were cleaned up") from None

    def close(self) -> None:
        """Lets go of the tables."""
        if self._newest is not None:
            self._newest.close()
        self.head_table.close()
        self.log_table.close()
        self.database.close()


async def open_store(uri: str, *, create: bool = False, renew: bool = False) -> Store:
    """Opens the index at a folder or URI.

    With `create` an empty one is made where there is none, with `renew` also where head or log are damaged or
    in the form of a newer version: without them nothing of the index can be read.

    Raises:
        IndexMissing: There is no index and `create` is false.
        IndexReadOnly: It would have to be made in a place that is read-only.
        IndexDamaged: Its head cannot be read.
        IndexFormatUnknown: Something else is there.
    """
    database = await connect(uri, create=create)
    try:
        store = await _open_readable(database, uri, create=create)
        if renew:
            await store.generations()
        return store
    except (IndexDamaged, IndexTooNew):
        if not renew:
            raise
    async with translated():
        return Store(database, *await renew_index(database, uri))


async def _open_readable(database: Any, uri: str, *, create: bool) -> Store:
    async with translated():
        tables = await open_tables(database)
        if tables is None and not create:
            raise IndexMissing(f"there is no index at {uri}; make one with `wikitrail index`")
        store = Store(database, *(tables or await found_index(database, uri)))
    try:
        await store.head()
    except SnapshotLost as error:
        # What was opened this moment cannot be gone already.
        raise IndexDamaged(_INCOMPLETE) from error
    return store


def _refuse_other_version(generation: Generation) -> None:
    schema = generation.build.schema
    if schema < SCHEMA_VERSION:
        raise IndexOutdated("an older version of wikitrail wrote this index; run `wikitrail index`")
    if schema > SCHEMA_VERSION:
        raise IndexTooNew(log.TOO_NEW)
