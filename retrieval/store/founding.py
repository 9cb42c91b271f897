"""Making an index where there is none, once.

Creating a table is no commit: of two processes that make the same one at the same moment both may be told
that they did, and the later one replaces what was written since (measured, with and without `exist_ok`). A
head that is replaced forgets the lease, so in a folder only one process at a time makes an index. Object
storage has no such lock: there the conditional updates of head stop one of the runs, and it is run again.
"""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from retrieval.store import head as heads
from retrieval.store import log
from retrieval.store.generation import LOG_SCHEMA
from retrieval.store.tables import open_if_there


async def open_tables(database: Any) -> tuple[Any, Any] | None:
    """Opens head and log; None where the database holds no index."""
    head = await open_if_there(database, heads.HEAD)
    log_table = await open_if_there(database, log.LOG)
    return None if head is None or log_table is None else (head, log_table)


async def found_index(database: Any, uri: str) -> tuple[Any, Any]:
    """Makes head and log, unless another process has made them, and opens them."""
    async with _alone(uri):
        # The log comes first: an index whose head exists is complete.
        log_table = await open_if_there(database, log.LOG)
        if log_table is None:
            log_table = await database.create_table(log.LOG, schema=LOG_SCHEMA)
        head = await open_if_there(database, heads.HEAD)
        if head is None:
            head = await database.create_table(heads.HEAD, data=heads.first_row())
    return head, log_table


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
