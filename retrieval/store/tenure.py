"""The time in which one writer holds the lease, and how it notices that this is over."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from retrieval.store import head as heads
from retrieval.store.errors import IndexDamaged, IndexMissing, LeaseLost, SnapshotLost, StoreError
from retrieval.store.store import Store
from retrieval.store.tables import translated

Clock = Callable[[], float]
"""Tells the time in seconds since the epoch."""

_log = logging.getLogger(__name__)


class Tenure:
    """A lease that was taken; `held_since` is the `time.monotonic()` from before it was.

    `head_use` keeps this process from using head for two things at once.
    """

    def __init__(
        self, store: Store, *, epoch: int, clock: Clock, lease_seconds: float, held_since: float
    ) -> None:
        self.epoch = epoch
        self.head_use = asyncio.Lock()
        self._store = store
        self._clock = clock
        self._lease_seconds = lease_seconds
        self._held_until = held_since + lease_seconds
        self._lost = False

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[None]:
        """Lets the block use the tables of the index, and explains its errors.

        Raises:
            LeaseLost: Another writer took over, or may have: this one was stopped for too long.
            IndexMissing: The index was removed.
            StoreError: Something else goes wrong in the block.
        """
        if self._lost or time.monotonic() >= self._held_until:
            raise self.abandon()
        try:
            async with translated():
                yield
        except SnapshotLost as error:
            raise await self._explain_loss() from error

    def abandon(self) -> LeaseLost:
        """Lets the writer write no more, and returns the error that says so."""
        self._lost = True
        return LeaseLost(
            "another writer took over this index; nothing of this run was published, run it again"
        )

    @asynccontextmanager
    async def lasting(self) -> AsyncIterator[None]:
        """Extends the lease as long as the block runs, then gives it back."""
        beat = asyncio.create_task(self._extend())
        try:
            yield
        finally:
            beat.cancel()
            await asyncio.wait([beat])
            await self._give_back()

    async def _extend(self) -> None:
        while not self._lost:
            await asyncio.sleep(self._lease_seconds / 3)
            begun, expires = time.monotonic(), self._clock() + self._lease_seconds
            try:
                async with translated(), self.head_use:
                    held = await heads.extend_lease(self._store.head_table, epoch=self.epoch, expires=expires)
            except StoreError as error:
                # It may go well the next time; until then the lease is as long as it is.
                _log.warning("the lease of the index could not be extended: %s", error)
                continue
            self._held_until = begun + self._lease_seconds
            self._lost |= not held

    async def _give_back(self) -> None:
        try:
            async with translated():
                await heads.give_lease_back(self._store.head_table, epoch=self.epoch)
        except StoreError as error:
            _log.warning("the lease of the index could not be given back, and runs out: %s", error)

    async def _explain_loss(self) -> StoreError:
        """Returns what it means that files are gone which only the holder of the lease may take away."""
        try:
            head = await self._store.head()
        except SnapshotLost:
            return IndexMissing("the index was removed while a run wrote it; run again")
        if head.epoch != self.epoch:
            return self.abandon()
        return IndexDamaged("files of the index are missing; rebuild the index with `wikitrail index --full`")
