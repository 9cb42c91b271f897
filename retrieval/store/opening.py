"""An index for as long as somebody uses it, and the lease for as long as somebody writes it."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from retrieval.store import head as heads
from retrieval.store.errors import DiskFull, IndexBusy, IndexDamaged, IndexReadOnly
from retrieval.store.head import Head
from retrieval.store.lease import LEASE_SECONDS, is_dead, name_holder
from retrieval.store.retention import Retention
from retrieval.store.store import Store, open_store
from retrieval.store.tables import translated
from retrieval.store.tenure import Clock, Tenure
from retrieval.store.writer import Writer


@asynccontextmanager
async def using_store(uri: str, *, create: bool = False, renew: bool = False) -> AsyncIterator[Store]:
    """Opens the index at a folder or URI for the block; errors that are about the place name it.

    Raises:
        StoreError: See `open_store`.
    """
    try:
        store = await open_store(uri, create=create, renew=renew)
        try:
            yield store
        finally:
            store.close()
    except (DiskFull, IndexReadOnly, IndexDamaged) as error:
        raise type(error)(f"{error} (the index is at {uri})") from error


@asynccontextmanager
async def open_writer(
    store: Store, *, retention: Retention, clock: Clock, lease_seconds: float = LEASE_SECONDS
) -> AsyncIterator[Writer]:
    """Takes the lease, yields a writer and gives the lease back.

    Raises:
        IndexBusy: Another process writes.
        IndexDamaged: The log of the index does not know its newest generation.
    """
    seen = await store.head()
    await _refuse_living_holder(store, seen, clock, lease_seconds)
    begun = time.monotonic()
    expires = clock() + lease_seconds
    async with translated():
        taken = await heads.take_lease(store.head_table, seen, holder=name_holder(), expires=expires)
    if not taken:
        raise IndexBusy("another run took the index at this moment; wait for it to end and run again")
    tenure = Tenure(store, epoch=seen.epoch + 1, clock=clock, lease_seconds=lease_seconds, held_since=begun)
    async with (
        tenure.lasting(),
        Writer(store, tenure, retention=retention, clock=clock).working() as writer,
    ):
        yield writer


async def _refuse_living_holder(store: Store, seen: Head, clock: Clock, lease_seconds: float) -> None:
    """Raises IndexBusy while the holder of the lease lives.

    Clocks of two machines differ, and may be set. An end of the lease that has come, or is further away than
    any lease lasts, is not believed before the holder has missed a sign of life.
    """
    if not seen.holder or is_dead(seen.holder):
        return
    if not 0 < seen.expires - clock() <= lease_seconds:
        await asyncio.sleep(lease_seconds / 2)
        if await store.head() == seen:
            return
    raise IndexBusy("another run writes this index; wait for it to end and run again")
