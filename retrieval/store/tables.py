"""Opening, filling and reading LanceDB tables, with its errors turned into ours."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.index import FTS, BTree, LabelList

from retrieval.store.errors import IndexBusy, IndexMissing, IndexReadOnly, SnapshotLost, StoreError

# Below this many rows a scan is as fast as a scalar index, which costs files and time at every commit.
SCALAR_INDEX_ROWS = 5_000

_LOOKUP_COLUMNS: dict[str, dict[str, Any]] = {
    "pages": {"page_id": BTree, "path": BTree},
    "chunks": {"chunk_id": BTree, "page_id": BTree, "path": BTree, "attrs": LabelList},
    "chunk_vectors": {"chunk_id": BTree, "page_id": BTree, "path": BTree, "attrs": LabelList},
    "page_vectors": {"page_id": BTree, "path": BTree, "attrs": LabelList},
    "links": {"page_id": BTree, "target_path": BTree},
    "terms": {"term": BTree},
    "embeddings": {"embedding_key": BTree},
}

# The analyzer has already made the terms: the index only takes them apart at the blanks between them.
_TERMS_INDEX = FTS(
    base_tokenizer="whitespace",
    max_token_length=None,
    lower_case=False,
    stem=False,
    remove_stop_words=False,
    ascii_folding=False,
    with_position=False,
)


async def connect(uri: str, *, create: bool) -> Any:
    """Opens the database at a folder or an object storage URI.

    Raises:
        IndexMissing: `create` is false and there is no such folder.
        StoreError: The place cannot be reached.
    """
    if not create and _is_absent_folder(uri):
        raise IndexMissing(f"there is no index at {uri}; make one with `wikitrail index`")
    async with translated():
        return await lancedb.connect_async(uri, read_consistency_interval=timedelta(0))


def _is_absent_folder(uri: str) -> bool:
    # Connecting would make the folder, and a reader makes nothing.
    return "://" not in uri and not os.path.isdir(uri)


async def open_if_there(database: Any, name: str) -> Any | None:
    """Opens a table; None where there is none, or only what is left of a broken-off making of one."""
    # Only opening it tells: a table is listed as soon as its making begins, also if that is broken off.
    try:
        return await database.open_table(name)
    except ValueError:
        return None


@asynccontextmanager
async def translated() -> AsyncIterator[None]:
    """Turns the storage library's errors into ours; their text may name paths and stays in the cause."""
    try:
        yield
    except (RuntimeError, OSError, ValueError) as error:
        raise _translate(error) from error


def _translate(error: Exception) -> StoreError:
    text = str(error)
    if "Permission denied" in text or "Read-only file system" in text:
        return IndexReadOnly("the index cannot be written: its place is read-only for this user")
    if "Not found" in text or "no longer exists" in text or "was not found" in text:
        return SnapshotLost("the files of this generation are gone; ask again to get the newest one")
    if "commit conflict" in text or "Incompatible transaction" in text:
        return IndexBusy("another run writes this index; wait for it to end and run again")
    if "No space left" in text:
        return StoreError("the disk that holds the index is full; free some space and run again")
    return StoreError("the index could not be read or written; the log has the cause")


async def read_rows(
    table: Any, *, columns: Sequence[str], where: str | None = None, limit: int | None = None
) -> pa.Table:
    """Returns the rows that fit `where` (all without one), in no particular order."""
    query = table.query().select(list(columns))
    if where is not None:
        query = query.where(where)
    if limit is not None:
        query = query.limit(limit)
    async with translated():
        return await query.to_arrow()


async def ensure_indices(table: Any, logical: str) -> None:
    """Makes the indices that a table of this size should have and does not."""
    present = {column for index in await table.list_indices() for column in index.columns}
    if logical == "chunks" and "terms" not in present:
        await table.create_index("terms", config=_TERMS_INDEX)
    if await table.count_rows() < SCALAR_INDEX_ROWS:
        return
    for column, kind in _LOOKUP_COLUMNS.get(logical, {}).items():
        if column not in present:
            await table.create_index(column, config=kind())
