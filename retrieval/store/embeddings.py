"""Vectors kept by embedding key, outside the generations: a text is embedded once, whatever a run's fate."""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa

from retrieval import schema
from retrieval.embedding.space import StoredSpace, from_record, to_record
from retrieval.store.errors import IndexDamaged, SnapshotLost
from retrieval.store.keyed import KeyedCache, Writing
from retrieval.store.retention import list_names
from retrieval.store.tables import open_if_there, translated
from retrieval.store.vectors import Vector, to_matrix

_PREFIX = "embeddings-"
_SPACE = b"wikitrail-space"
_UNREADABLE = (IndexDamaged, SnapshotLost)


def physical_name(space: str) -> str:
    """Returns the table of a vector space; two spaces never share one."""
    return f"{_PREFIX}{space[:16]}"


async def list_spaces(database: Any) -> tuple[StoredSpace, ...]:
    """Returns the spaces that have a cache; each cache says in its schema which one it is of."""
    async with translated():
        names = [name for name in await list_names(database) if name.startswith(_PREFIX)]
    spaces: list[StoredSpace] = []
    for name in names:
        # One that cannot be read is begun anew once its space is embedded again.
        with suppress(*_UNREADABLE):
            spaces.extend(await _read_space(database, name))
    return tuple(spaces)


async def _read_space(database: Any, name: str) -> tuple[StoredSpace, ...]:
    async with translated():
        table = await open_if_there(database, name)
        record = ((await table.schema()).metadata or {}).get(_SPACE) if table else None
    return () if record is None else (from_record(json.loads(record)),)


async def drop_caches(database: Any, *, but: str | None) -> None:
    """Drops the vectors of every space but one."""
    kept = None if but is None else physical_name(but)
    for name in await list_names(database):
        if name.startswith(_PREFIX) and name != kept:
            await database.drop_table(name)


class EmbeddingCache(KeyedCache[Vector]):
    """The vectors of one space."""

    @classmethod
    async def of(cls, database: Any, space: StoredSpace, writing: Writing) -> "EmbeddingCache":
        """Opens the cache of a space, empty if there was none; `writing` is that of the lease."""
        record = json.dumps(to_record(space)).encode()
        columns = schema.embeddings(space.declared.dimension).with_metadata({_SPACE: record})
        return await cls(database, physical_name(space.id), columns, writing).open()

    def _to_column(self, values: Sequence[Vector]) -> pa.Array:
        matrix = np.stack(values).astype(np.float32)
        return pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), matrix.shape[1])

    def _from_column(self, column: pa.ChunkedArray) -> Sequence[Vector]:
        return list(to_matrix(column))
