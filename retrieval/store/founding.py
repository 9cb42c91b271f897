"""Making an index where there is none, once.

Creating a table is no commit: of two processes that make the same one at the same moment both may be told
that they did, and the later one replaces what was written since (measured, with and without `exist_ok`). A
head that is replaced forgets the lease, so in a folder only one process at a time makes an index. Object
storage has no such lock: there the epoch of the later head, which no other head has, stops the run that holds
the earlier one, and it is run again.
"""

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from retrieval.store import head as heads
from retrieval.store import log
from retrieval.store.errors import IndexBusy, IndexDamaged, StoreError
from retrieval.store.generation import LOG_SCHEMA
from retrieval.store.lease import is_dead
from retrieval.store.tables import open_if_there, translated


async def open_tables(database: Any) -> tuple[Any, Any] | None:
    """Opens head and log; None where the database holds no index.

    Raises:
        IndexDamaged: The log is gone; it was there before the head was.
    """
    head = await open_if_there(database, heads.HEAD)
    if head is None:
        return None
    log_table = await open_if_there(database, log.LOG)
    if log_table is None:
        raise IndexDamaged("the log of the index is gone; rebuild the index with `wikitrail index --full`")
    return head, log_table


async def found_index(database: Any, uri: str) -> tuple[Any, Any]:
    """Makes head and log, unless another process has made them, and opens them."""
    async with _alone(uri):
        return await open_tables(database) or await _make(database)


async def renew_index(database: Any, uri: str) -> tuple[Any, Any]:
    """Makes head and log anew in place of ones that cannot be read, and opens them.

    Nothing of the index can be read from then on.

    Raises:
        IndexBusy: The head can be read, and another process holds the lease.
    """
    async with _alone(uri):
        await _refuse_live_writer(database)
        await database.drop_table(heads.HEAD, ignore_missing=True)
        return await _make(database)


async def _refuse_live_writer(database: Any) -> None:
    try:
        async with translated():
            table = await open_if_there(database, heads.HEAD)
            head = heads.FIRST if table is None else await heads.read_head(table)
    except StoreError:
        return  # without a head nobody can write either
    if head.holder and head.expires > time.time() and not is_dead(head.holder):
        raise IndexBusy("another run writes this index; wait for it to end and run again")


async def _make(database: Any) -> tuple[Any, Any]:
    # The log comes first: an index whose head exists is complete. Without a head, nothing in a log counts.
    await database.drop_table(log.LOG, ignore_missing=True)
    log_table = await database.create_table(log.LOG, schema=LOG_SCHEMA)
    return await database.create_table(heads.HEAD, data=heads.first_row()), log_table


@asynccontextmanager
async def _alone(uri: str) -> AsyncIterator[None]:
    """Holds the lock of an index's folder, which ends with the process at the latest."""
    if "://" in uri:
        yield
        return
    folder = os.open(uri, os.O_RDONLY)
    try:
        # Some network file systems know no locks on folders; there it is as on object storage.
        with suppress(OSError):
            await asyncio.to_thread(fcntl.flock, folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
