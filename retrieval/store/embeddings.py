"""Vectors kept by embedding key, outside the generations: a text is embedded once, whatever a run's fate."""

import json
import logging
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from datetime import timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from retrieval import schema
from retrieval.embedding.space import StoredSpace, from_record, to_record
from retrieval.predicates import in_predicate
from retrieval.store.errors import IndexDamaged, SnapshotLost
from retrieval.store.retention import list_names
from retrieval.store.tables import ensure_indices, open_if_there, read_rows, translated
from retrieval.store.vectors import Vector, to_matrix

_PREFIX = "embeddings-"
_KEYS_A_QUERY = 1_000
_SPACE = b"wikitrail-space"
_AT_ONCE = timedelta(0)
_UNREADABLE = (IndexDamaged, SnapshotLost)
_VERSIONS_BEFORE_TIDYING = 4

_log = logging.getLogger(__name__)

Writing = Callable[[], AbstractAsyncContextManager[None]]
"""What lets a block use the tables of the index; see `Tenure.writing`."""


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


class EmbeddingCache:
    """The vectors of one space. Only the holder of the lease writes it.

    No generation needs it, so one that is damaged is begun anew: its vectors can be made again.
    """

    def __init__(self, database: Any, space: StoredSpace, writing: Writing) -> None:
        self._database = database
        self._space = space
        self._writing = writing
        self._schema = schema.embeddings(space.declared.dimension)
        self._table: Any = None

    @classmethod
    async def open(cls, database: Any, space: StoredSpace, writing: Writing) -> "EmbeddingCache":
        """Opens the cache of a space, empty if there was none; `writing` is that of the lease."""
        cache = cls(database, space, writing)
        with suppress(IndexDamaged):
            async with writing():
                cache._table = await open_if_there(database, physical_name(space.id))
        if cache._table is None:
            await cache._begin()
        return cache

    async def _begin(self) -> None:
        name, record = physical_name(self._space.id), json.dumps(to_record(self._space)).encode()
        async with self._writing():
            await self._database.drop_table(name, ignore_missing=True)
            self._table = await self._database.create_table(
                name, schema=self._schema.with_metadata({_SPACE: record})
            )

    async def find(self, keys: Collection[str]) -> dict[str, Vector]:
        """Returns the vectors that are there, by key."""
        try:
            return await self._find(sorted(set(keys)))
        except IndexDamaged as error:
            _log.warning("vectors kept by text are lost and made again: %s", error)
            await self._begin()
            return {}

    async def _find(self, wanted: Sequence[str]) -> dict[str, Vector]:
        found: dict[str, Vector] = {}
        for start in range(0, len(wanted), _KEYS_A_QUERY):
            where = in_predicate("embedding_key", wanted[start : start + _KEYS_A_QUERY])
            async with self._writing():
                rows = await read_rows(self._table, columns=["embedding_key", "vector"], where=where)
            found.update(zip(rows["embedding_key"].to_pylist(), to_matrix(rows["vector"]), strict=True))
        return found

    async def add(self, vectors: Mapping[str, Vector]) -> None:
        """Keeps new vectors; the caller has looked the keys up before."""
        matrix = np.stack(list(vectors.values())).astype(np.float32)
        dimension = self._schema.field("vector").type.list_size
        column = pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1)), dimension)
        rows = pa.table([pa.array(list(vectors)), column], schema=self._schema)
        async with self._writing():
            await self._table.add(rows)

    async def keep_only(self, keys: Collection[str]) -> int:
        """Forgets every vector whose key is not among `keys` and returns how many those were."""
        async with self._writing():
            rows = await read_rows(self._table, columns=["embedding_key"])
        stale = sorted(set(rows["embedding_key"].to_pylist()) - set(keys))
        async with self._writing():
            for start in range(0, len(stale), _KEYS_A_QUERY):
                await self._table.delete(in_predicate("embedding_key", stale[start : start + _KEYS_A_QUERY]))
            if stale:
                await self._drop_old_versions()
        return len(stale)

    async def tidy(self) -> None:
        """Joins the many small files that embedding in batches leaves behind."""
        try:
            async with self._writing():
                await ensure_indices(self._table, "embeddings")
                if len(await self._table.list_versions()) > _VERSIONS_BEFORE_TIDYING:
                    await self._drop_old_versions()
        except IndexDamaged as error:
            _log.warning("vectors kept by text are lost: %s", error)
            await self._begin()

    async def _drop_old_versions(self) -> None:
        # The cache has no readers but the holder of the lease, so no old version is worth keeping.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            await self._table.optimize(cleanup_older_than=_AT_ONCE, delete_unverified=True)
