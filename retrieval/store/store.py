"""An index at one place: who reads it gets a snapshot, who writes it a writer."""

import asyncio
from contextlib import suppress
from typing import Any

from retrieval.store import head as heads
from retrieval.store import log
from retrieval.store.errors import GenerationMissing, IndexMissing, SnapshotLost
from retrieval.store.founding import found_index, open_tables
from retrieval.store.generation import Generation
from retrieval.store.head import Head
from retrieval.store.snapshot import Snapshot
from retrieval.store.tables import connect, translated

# A cleanup may take away the version of head that is being read; the next try finds a newer one.
_HEAD_TRIES = 3


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
        for _ in range(_HEAD_TRIES - 1):
            with suppress(SnapshotLost):
                return await self._read_head()
        return await self._read_head()

    async def _read_head(self) -> Head:
        async with translated():
            return await heads.read_head(self.head_table)

    async def generations(self) -> tuple[Generation, ...]:
        """Returns the committed generations that the log still holds, newest first."""
        return await log.history(self.log_table, await self.head())

    async def snapshot(self, number: int | None = None) -> Snapshot:
        """Pins the newest generation, or the one with this number.

        Raises:
            IndexMissing: Nothing was committed yet.
            GenerationMissing: That generation is not kept.
        """
        head = await self.head()
        if head.generation == 0:
            raise IndexMissing("the index holds no generation yet; run `wikitrail index`")
        if number is None or number == head.generation:
            return await self._pin_newest(head)
        for generation in await log.history(self.log_table, head):
            if generation.number == number:
                return await self._open_kept(generation)
        raise GenerationMissing(f"generation {number} is not kept; the newest is {head.generation}")

    async def _pin_newest(self, head: Head) -> Snapshot:
        async with self._opening:
            if self._newest is None or self._newest.generation.commit_id != head.commit_id:
                newest = (await log.history(self.log_table, head))[:1]
                if not newest:
                    raise SnapshotLost("the index moved on while it was opened; ask again")
                # The one before stays open for the queries that still read it; the last of them frees it.
                self._newest = await Snapshot.open(self.database, newest[0])
            return self._newest

    async def _open_kept(self, generation: Generation) -> Snapshot:
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


async def open_store(uri: str, *, create: bool = False) -> Store:
    """Opens the index at a folder or URI; with `create` an empty one is made where there is none.

    Raises:
        IndexMissing: There is no index and `create` is false.
        IndexReadOnly: It would have to be made in a place that is read-only.
    """
    database = await connect(uri, create=create)
    async with translated():
        tables = await open_tables(database)
        if tables is None and not create:
            raise IndexMissing(f"there is no index at {uri}; make one with `wikitrail index`")
        head, log_table = tables or await found_index(database, uri)
    return Store(database, head, log_table)
