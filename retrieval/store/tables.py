"""Opening, filling and reading LanceDB tables, with its errors turned into ours."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.index import FTS, BTree, LabelList

from chunking.errors import WikitrailError
from retrieval.store.errors import (
    DiskFull,
    IndexBusy,
    IndexDamaged,
    IndexFormatUnknown,
    IndexMissing,
    IndexReadOnly,
    SnapshotLost,
    StoreError,
)

# Below this many rows a scan is as fast as a scalar index, which costs files and time at every commit.
SCALAR_INDEX_ROWS = 5_000

_LOOKUP_COLUMNS: dict[str, dict[str, Any]] = {
    "pages": {"page_id": BTree, "path": BTree},
    "chunks": {"chunk_id": BTree, "page_id": BTree, "path": BTree, "attrs": LabelList},
    "chunk_vectors": {"chunk_id": BTree, "page_id": BTree, "path": BTree, "attrs": LabelList},
    "page_vectors": {"page_id": BTree, "path": BTree, "attrs": LabelList},
    "token_vectors": {"chunk_id": BTree, "page_id": BTree},
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


_LOST = "the files of this generation are gone; ask again to get the newest one"

# The storage library has one class for most errors: what happened stands in their words alone, and what a
# damaged file makes it say was found out by changing bytes at random. The first line that fits counts.
_SIGNS: tuple[tuple[type[StoreError], str, tuple[str, ...]], ...] = (
    (
        IndexReadOnly,
        "the place of the index is read-only for this user, or closed to it; check owner and permissions",
        ("Permission denied", "Read-only file system", "Operation not permitted"),
    ),
    (
        DiskFull,
        "the disk that holds the index is full, or this user's share of it; free some space and run again",
        ("No space left", "Disk quota exceeded", "File too large"),
    ),
    (
        IndexFormatUnknown,
        "what is at the place of the index is no folder; give the index another place",
        ("Not a directory", "NotADirectory", "File exists"),
    ),
    (SnapshotLost, _LOST, ("Not found", "no longer exists", "was not found")),
    (
        IndexBusy,
        "another run writes this index; wait for it to end and run again",
        ("commit conflict", "Incompatible transaction"),
    ),
    (
        IndexDamaged,
        "a file of the index is damaged; rebuild the index with `wikitrail index --full`",
        (
            "Invalid input",
            "Invalid range",
            "Invalid read of range",
            "file size is too small",
            "fill whole buffer",
            "decode Protobuf",
            "corrupt file",
            "Parser error",
            "invalid seek",
            "while parsing",
            "panicked",
        ),
    ),
)


async def connect(uri: str, *, create: bool) -> Any:
    """Opens the database at a folder or an object storage URI.

    Raises:
        IndexMissing: `create` is false and there is no such folder.
        StoreError: The place cannot be reached, or has a name that the storage library cannot take.
    """
    if any("\ud800" <= character <= "\udfff" for character in uri):
        raise StoreError(
            f"the name of the index's place, {uri!r}, is not UTF-8; give the index another place"
        )
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
    except ValueError as error:
        # A damaged table is there all the same: nobody may make another one in its place unasked.
        if "was not found" in str(error):
            return None
        raise


@asynccontextmanager
async def translated() -> AsyncIterator[None]:
    """Turns the storage library's errors into ours; their text may name paths and stays in the cause."""
    try:
        yield
    except WikitrailError:
        raise
    except Exception as error:  # the class of a panic of the library can be told by its name alone
        if isinstance(error, (RuntimeError, OSError, ValueError)) or type(error).__name__ == "RustPanic":
            raise _translate(error) from error
        raise


def _translate(error: Exception) -> StoreError:
    text = str(error)
    return next(
        (kind(message) for kind, message, signs in _SIGNS if any(sign in text for sign in signs)),
        StoreError("the index could not be read or written; the log has the cause"),
    )


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
