"""Writing the next generation, under the lease.

A table is touched only after it has been brought back to its committed version: a run that crashed leaves
rows that nobody may see, and the next write would publish them. After each write the version must be the
one before plus one: anything else means that a second writer is at work, and the run stops.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from retrieval.embedding.space import StoredSpace
from retrieval.schema import TableName, schema_of
from retrieval.store import head as heads
from retrieval.store import log
from retrieval.store.embeddings import EmbeddingCache, drop_caches, list_spaces
from retrieval.store.errors import LeaseLost
from retrieval.store.generation import Build, Counts, Generation, TableVersion
from retrieval.store.lease import LEASE_SECONDS
from retrieval.store.retention import (
    Retention,
    drop_unnamed_tables,
    select_kept,
    shorten_log,
    tidy_log,
    tidy_table,
)
from retrieval.store.snapshot import Snapshot
from retrieval.store.store import Store
from retrieval.store.tables import ensure_indices, read_rows, translated

_ROWS_AT_ONCE = 4_096

Clock = Callable[[], float]
"""Tells the time in seconds since the epoch."""


@dataclass(slots=True)
class _Open:
    """A table being written: always the latest version, never a checked-out one."""

    handle: Any
    physical: str
    version: int
    touched: bool = False


class Writer:
    """Holds the lease while `open_writer`'s block runs. Nothing written is visible before `commit`."""

    def __init__(
        self, store: Store, *, epoch: int, base: Generation | None, retention: Retention, clock: Clock
    ) -> None:
        self._store = store
        self._epoch = epoch
        self._base = base
        self._retention = retention
        self._clock = clock
        self._open: dict[TableName, _Open] = {}
        self._places: dict[TableName, TableVersion] = dict(base.tables) if base else {}
        self._head_use = asyncio.Lock()
        self._lost = False

    @property
    def base(self) -> Generation | None:
        """The generation that the next commit follows; None before the first."""
        return self._base

    @property
    def touched(self) -> bool:
        """Says whether anything was written since the last commit."""
        return any(table.touched for table in self._open.values())

    def has(self, name: TableName) -> bool:
        """Says whether the next generation has the table."""
        return name in self._open or name in self._places

    async def start_table(self, name: TableName, *, dimension: int | None = None) -> None:
        """Begins the table anew, empty and beside the old one, which answers until the commit."""
        async with self._writing():
            self._open[name] = await self._create(name, schema_of(name, dimension))

    async def renew_table(self, name: TableName) -> None:
        """Begins the table anew with the rows it has: nothing of the deleted ones is in its files."""
        old = (await self._table(name)).handle
        async with self._writing():
            table = await self._create(name, await old.schema())
            async for batch in await old.query().to_batches(max_batch_length=_ROWS_AT_ONCE):
                await table.handle.add(batch)
                await self._advance(table)
        self._open[name] = table

    def take_back(self, name: TableName) -> None:
        """Lets the next generation have the table as the one before has it, whatever was begun or written."""
        self._open.pop(name, None)

    def leave_out(self, name: TableName) -> None:
        """Lets the next generation do without the table."""
        self._open.pop(name, None)
        self._places.pop(name, None)

    async def append(self, name: TableName, rows: pa.Table) -> None:
        """Adds rows."""
        if rows.num_rows == 0:
            return
        table = await self._table(name)
        async with self._writing():
            await table.handle.add(rows)
            await self._advance(table)

    async def delete(self, name: TableName, where: str) -> None:
        """Removes the rows that fit `where`."""
        table = await self._table(name)
        async with self._writing():
            await table.handle.delete(where)
            await self._advance(table)

    async def rows(self, name: TableName, *, columns: Sequence[str], where: str | None = None) -> pa.Table:
        """Reads the table as it stands, uncommitted rows included."""
        return await read_rows((await self._table(name)).handle, columns=columns, where=where)

    async def committed_rows(
        self, name: TableName, *, columns: Sequence[str], where: str | None = None
    ) -> pa.Table:
        """Reads the table as the generation before holds it, whatever was begun or written since."""
        if self._base is None:
            raise ValueError("nothing was committed yet")
        snapshot = await Snapshot.open(self._store.database, self._base)
        try:
            return await snapshot.rows(name, columns=columns, where=where)
        finally:
            snapshot.close()

    async def count(self, name: TableName) -> int:
        """Counts the rows of the table as it stands."""
        table = await self._table(name)
        async with self._writing():
            return int(await table.handle.count_rows())

    async def embeddings(self, space: StoredSpace) -> EmbeddingCache:
        """Opens the vectors kept by key for a vector space."""
        return await EmbeddingCache.open(self._store.database, space)

    async def spaces(self) -> tuple[StoredSpace, ...]:
        """Returns the spaces whose vectors are kept by key, also those of a run that was killed."""
        return await list_spaces(self._store.database)

    async def commit(
        self, *, build: Build, space: StoredSpace | None, counts: Counts, assets: str
    ) -> Generation:
        """Publishes what was written as the next generation, all of it at once.

        Raises:
            LeaseLost: Another writer took over; nothing of this is published.
        """
        history = await self._store.generations()
        kept = select_kept(history, self._retention, self._clock())
        for name, table in self._open.items():
            if table.touched:
                await self._settle(name, table, kept)
        generation = await self._publish(build, space, counts, assets, self._places)
        kept = select_kept((generation, *history), self._retention, self._clock())
        async with self._writing(), self._head_use:
            await drop_unnamed_tables(self._store.database, kept)
            await tidy_log(self._store.log_table, self._store.head_table, kept)
        return generation

    async def forget_history(self) -> None:
        """Forgets every generation but the newest, which alone can be read from then on."""
        if self._base is None:
            raise ValueError("nothing was committed yet")
        async with self._writing(), self._head_use:
            await shorten_log(self._store.log_table, self._store.head_table, [self._base])

    async def drop_embeddings(self, *, but: str | None) -> None:
        """Forgets the vectors kept by key for every vector space but one."""
        async with self._writing():
            await drop_caches(self._store.database, but=but)

    async def activate(self, old: Generation) -> Generation:
        """Publishes the tables of a kept generation again, under a new number."""
        return await self._publish(old.build, old.space, old.counts, old.assets, old.tables)

    async def _settle(self, name: TableName, table: _Open, kept: Sequence[Generation]) -> None:
        async with self._writing():
            rows = await table.handle.count_rows()
            await ensure_indices(table.handle, name)
            await tidy_table(table.handle, physical=table.physical, name=name, kept=kept)
            if await table.handle.count_rows() != rows:
                raise self._abandon()
            table.version = await table.handle.version()
        table.touched = False
        self._places[name] = TableVersion(physical=table.physical, version=table.version)

    async def _publish(
        self,
        build: Build,
        space: StoredSpace | None,
        counts: Counts,
        assets: str,
        places: Mapping[TableName, TableVersion],
    ) -> Generation:
        base = self._base
        generation = Generation(
            number=base.number + 1 if base else 1,
            commit_id=uuid.uuid4().hex,
            parent=base.commit_id if base else "",
            created=self._clock(),
            build=build,
            space=space,
            counts=counts,
            assets=assets,
            tables=dict(places),
        )
        async with self._writing(), self._head_use:
            await log.append(self._store.log_table, generation)
            moved = await heads.move_head(
                self._store.head_table,
                epoch=self._epoch,
                generation=generation.number - 1,
                commit_id=generation.commit_id,
            )
        if not moved:
            raise self._abandon()
        self._base = generation
        return generation

    async def _create(self, name: TableName, schema: pa.Schema) -> _Open:
        physical = f"{name}-{self._epoch}-{uuid.uuid4().hex[:6]}"
        handle = await self._store.database.create_table(physical, schema=schema)
        return _Open(handle, physical, await handle.version(), touched=True)

    async def _table(self, name: TableName) -> _Open:
        if name not in self._open:
            if name not in self._places:
                await self.start_table(name)
            else:
                self._open[name] = await self._bring_back(self._places[name])
        return self._open[name]

    async def _bring_back(self, place: TableVersion) -> _Open:
        async with self._writing():
            handle = await self._store.database.open_table(place.physical)
            version = await handle.version()
            restored = version != place.version
            if restored:
                await handle.restore(place.version)
                version = await handle.version()
        return _Open(handle, place.physical, version, touched=restored)

    async def _advance(self, table: _Open) -> None:
        version = await table.handle.version()
        if version != table.version + 1:
            raise self._abandon()
        table.version = version
        table.touched = True

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[None]:
        if self._lost:
            raise self._abandon()
        async with translated():
            yield

    def _abandon(self) -> LeaseLost:
        self._lost = True
        return LeaseLost(
            "another writer took over this index; nothing of this run was published, run it again"
        )

    async def _extend_lease(self) -> None:
        while not self._lost:
            await asyncio.sleep(LEASE_SECONDS / 3)
            async with translated(), self._head_use:
                expires = self._clock() + LEASE_SECONDS
                held = await heads.extend_lease(self._store.head_table, epoch=self._epoch, expires=expires)
            self._lost |= not held

    @asynccontextmanager
    async def holding(self) -> AsyncIterator["Writer"]:
        """Extends the lease as long as the block runs, then gives it back."""
        beat = asyncio.create_task(self._extend_lease())
        try:
            yield self
        finally:
            beat.cancel()
            await asyncio.wait([beat])
            async with translated():
                await heads.give_lease_back(self._store.head_table, epoch=self._epoch)
