"""Taking the lease, and the writer that works under it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from retrieval.store import head as heads
from retrieval.store.errors import IndexBusy
from retrieval.store.lease import LEASE_SECONDS, is_dead, name_holder
from retrieval.store.retention import Retention
from retrieval.store.store import Store
from retrieval.store.tables import translated
from retrieval.store.writer import Clock, Writer


@asynccontextmanager
async def open_writer(store: Store, *, retention: Retention, clock: Clock) -> AsyncIterator[Writer]:
    """Takes the lease, yields a writer and gives the lease back.

    Raises:
        IndexBusy: Another process writes.
    """
    seen = await store.head()
    if seen.holder and seen.expires > clock() and not is_dead(seen.holder):
        raise IndexBusy("another run writes this index; wait for it to end and run again")
    expires = clock() + LEASE_SECONDS
    async with translated():
        taken = await heads.take_lease(store.head_table, seen, holder=name_holder(), expires=expires)
    if not taken:
        raise IndexBusy("another run took the index at this moment; wait for it to end and run again")
    base = next(iter(await store.generations()), None)
    writer = Writer(store, epoch=seen.epoch + 1, base=base, retention=retention, clock=clock)
    async with writer.holding():
        yield writer
