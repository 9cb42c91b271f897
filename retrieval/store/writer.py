"""Writing the next generation, under the lease.

A table is touched only after it has been brought back to its committed version: a run that crashed leaves
rows that nobody may see, and the next write would publish them. After each write the version must be the
one before plus one: anything else means that a second writer is at work, and the run stops.
"""

import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from retrieval.embedding.space import StoredSpace
from retrieval.schema import TableName, schema_of
from retrieval.store import head as heads
from retrieval.store import log
from retrieval.store.caches import Caches
from retrieval.store.errors import StoreError
from retrieval.store.generation import Build, Counts, Generation, TableVersion
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
from retrieval.store.tables import ensure_indices, read_rows
from retrieval.store.tenure import Clock, Tenure

_ROWS_AT_ONCE = 4_096


@dataclass(slots=True)
class _Open:
    """A table being written: always the latest version, never a checked-out one."""

    handle: Any
    physical: str
    version: int
    touched: bool = False


class Writer:
    """Writes while its tenure lasts. Nothing written is visible before `commit`."""

    def __init__(self, store: Store, tenure: Tenure, *, retention: Retention, clock: Clock) -> None:
        self.caches = Caches(store.database, tenure.writing)
        self._store = store
        self._tenure = tenure
        self._retention = retention
        self._clock = clock
        self._base: Generation | None = None
        self._open: dict[TableName, _Open] = {}
        self._places: dict[TableName, TableVersion] = {}

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
        async with self._tenure.writing():
            self._open[name] = await self._create(name, schema_of(name, dimension))

    async def renew_table(self, name: TableName) -> None:
        """Begins the table anew with the rows it has: nothing of the deleted ones is in its files."""
        old = (await self._table(name)).handle
        async with self._tenure.writing():
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
        async with self._tenure.writing():
            await table.handle.add(rows)
            await self._advance(table)

    async def delete(self, name: TableName, where: str) -> None:
        """Removes the rows that fit `where`."""
        table = await self._table(name)
        async with self._tenure.writing():
            await table.handle.delete(where)
            await self._advance(table)

    async def rows(self, name: TableName, *, columns: Sequence[str], where: str | None = None) -> pa.Table:
        """Reads the table as it stands, uncommitted rows included."""
        table = await self._table(name)
        async with self._tenure.writing():
            return await read_rows(table.handle, columns=columns, where=where)

    async def committed_rows(
        self,
        generation: Generation,
        name: TableName,
        *,
        columns: Sequence[str],
        where: str | None = None,
    ) -> pa.Table:
        """Reads the table as a kept generation holds it, whatever was begun or written since."""
        async with self._tenure.writing():
            snapshot = await Snapshot.open(self._store.database, generation)
            try:
                return await snapshot.rows(name, columns=columns, where=where)
            finally:
                snapshot.close()

    async def count(self, name: TableName) -> int:
        """Counts the rows of the table as it stands."""
        table = await self._table(name)
        async with self._tenure.writing():
            return int(await table.handle.count_rows())

    async def commit(
        self,
        *,
        build: Build,
        space: StoredSpace | None,
        counts: Counts,
        assets: str,
        mounts: tuple[str, ...] = (),
        keeping: Generation | None = None,
    ) -> Generation:
        """Publishes what was written as the next generation, all of it at once.

        `keeping` can be read afterwards whatever the retention says, and so can those since: a run that may
        be taken back needs where it started from.

        Raises:
            LeaseLost: Another writer took over; nothing of this is published.
        """
        history = await self._store.generations()
        kept = self._select_kept(history, keeping)
        for name, table in self._open.items():
            if table.touched:
                await self._settle(name, table, kept, pinned=keeping is not None)
        generation = Generation(
            **self._identify(),
            build=build,
            space=space,
            counts=counts,
            assets=assets,
            mounts=mounts,
            tables=dict(self._places),
            tuning=self._base.tuning if self._base else None,
        )
        await self._publish(generation)
        kept = self._select_kept((generation, *history), keeping)
        async with self._tenure.writing(), self._tenure.head_use:
            await drop_unnamed_tables(self._store.database, kept)
            await tidy_log(self._store.log_table, self._store.head_table, kept)
        return generation

    def _select_kept(self, history: Sequence[Generation], keeping: Generation | None) -> Sequence[Generation]:
        count = len(select_kept(history, self._retention, self._clock()))
        if keeping in history:
            count = max(count, history.index(keeping) + 1)
        return history[:count]

    async def forget_history(self) -> None:
        """Forgets every generation but the newest, which alone can be read from then on."""
        if self._base is None:
            raise ValueError("nothing was committed yet")
        async with self._tenure.writing(), self._tenure.head_use:
            await shorten_log(self._store.log_table, self._store.head_table, [self._base])

    async def activate(self, old: Generation) -> Generation:
        """Publishes the tables and the tuning of a kept generation again, under a new number."""
        return await self._publish(replace(old, **self._identify()))

    async def _settle(
        self, name: TableName, table: _Open, kept: Sequence[Generation], *, pinned: bool
    ) -> None:
        async with self._tenure.writing():
            rows = await table.handle.count_rows()
            await ensure_indices(table.handle, name)
            await tidy_table(table.handle, physical=table.physical, name=name, kept=kept, pinned=pinned)
            if await table.handle.count_rows() != rows:
                raise self._tenure.abandon()
            table.version = await table.handle.version()
        table.touched = False
        self._places[name] = TableVersion(physical=table.physical, version=table.version)

    def _identify(self) -> dict[str, Any]:
        """Returns what tells the next generation from all others."""
        base = self._base
        return {
            "number": base.number + 1 if base else 1,
            "commit_id": uuid.uuid4().hex,
            "parent": base.commit_id if base else "",
            "created": self._clock(),
        }

    async def _publish(self, generation: Generation) -> Generation:
        async with self._tenure.writing(), self._tenure.head_use:
            await log.append(self._store.log_table, generation)
            moved = await heads.move_head(
                self._store.head_table,
                epoch=self._tenure.epoch,
                generation=generation.number - 1,
                commit_id=generation.commit_id,
            )
        if not moved:
            raise self._tenure.abandon()
        self._base = generation
        return generation

    async def _create(self, name: TableName, schema: pa.Schema) -> _Open:
        physical = f"{name}-{self._tenure.epoch}-{uuid.uuid4().hex[:6]}"
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
        async with self._tenure.writing():
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
            raise self._tenure.abandon()
        table.version = version
        table.touched = True

    @asynccontextmanager
    async def working(self) -> AsyncIterator["Writer"]:
        """Finds out what was committed, and clears away what was begun if the block fails."""
        try:
            await self._begin()
            yield self
        except StoreError:
            await self._drop_begun()
            raise

    async def _begin(self) -> None:
        history = await self._store.generations()
        async with self._tenure.writing():
            await drop_unnamed_tables(self._store.database, history)
        if history:
            self._base, self._places = history[0], dict(history[0].tables)

    async def _drop_begun(self) -> None:
        """Frees the space of tables that will never be published; what remains is cleared by the next run."""
        named = self._base.tables.values() if self._base else ()
        begun = {table.physical for table in self._open.values()} - {place.physical for place in named}
        with suppress(StoreError):
            for physical in begun:
                async with self._tenure.writing():
                    await self._store.database.drop_table(physical, ignore_missing=True)
