"""Values kept by embedding key, outside the generations: what is made of a text is made once."""

import logging
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from datetime import timedelta
from typing import Any, Generic, Self, TypeVar

import pyarrow as pa

from retrieval.predicates import in_predicate
from retrieval.store.errors import IndexDamaged
from retrieval.store.tables import ensure_indices, open_if_there, read_rows

_KEYS_A_QUERY = 1_000
_AT_ONCE = timedelta(0)
_VERSIONS_BEFORE_TIDYING = 4

_log = logging.getLogger(__name__)

Value = TypeVar("Value")
Writing = Callable[[], AbstractAsyncContextManager[None]]
"""What lets a block use the tables of the index; see `Tenure.writing`."""


class KeyedCache(ABC, Generic[Value]):
    """Values by embedding key, in a table of two columns. Only the holder of the lease writes it.

    No generation needs it, so one that is damaged is begun anew: its values can be made again.
    """

    def __init__(self, database: Any, name: str, schema: pa.Schema, writing: Writing) -> None:
        """Takes the physical name and the schema, whose metadata say what the values are of."""
        self._database = database
        self._name = name
        self._schema = schema
        self._writing = writing
        self._table: Any = None

    async def open(self) -> Self:
        """Opens the table, empty if there was none."""
        with suppress(IndexDamaged):
            async with self._writing():
                self._table = await open_if_there(self._database, self._name)
        if self._table is None:
            await self._begin()
        return self

    async def _begin(self) -> None:
        async with self._writing():
            await self._database.drop_table(self._name, ignore_missing=True)
            self._table = await self._database.create_table(self._name, schema=self._schema)

    @abstractmethod
    def _to_column(self, values: Sequence[Value]) -> pa.Array:
        """Returns values as a column."""

    @abstractmethod
    def _from_column(self, column: pa.ChunkedArray) -> Sequence[Value]:
        """Returns the values of a column."""

    async def find(self, keys: Collection[str]) -> dict[str, Value]:
        """Returns the values that are there, by key."""
        try:
            return await self._find(sorted(set(keys)))
        except IndexDamaged as error:
            _log.warning("what was kept by text is lost and made again: %s", error)
            await self._begin()
            return {}

    async def _find(self, wanted: Sequence[str]) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for start in range(0, len(wanted), _KEYS_A_QUERY):
            where = in_predicate("embedding_key", wanted[start : start + _KEYS_A_QUERY])
            async with self._writing():
                rows = await read_rows(self._table, columns=self._schema.names, where=where)
            keys, values = rows.columns
            found.update(zip(keys.to_pylist(), self._from_column(values), strict=True))
        return found

    async def add(self, values: Mapping[str, Value]) -> None:
        """Keeps new values; the caller has looked the keys up before."""
        columns = [pa.array(list(values)), self._to_column(list(values.values()))]
        rows = pa.table(columns, schema=self._schema.remove_metadata())
        async with self._writing():
            await self._table.add(rows)

    async def keep_only(self, keys: Collection[str]) -> int:
        """Forgets every value whose key is not among `keys` and returns how many those were."""
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
            _log.warning("what was kept by text is lost: %s", error)
            await self._begin()

    async def _drop_old_versions(self) -> None:
        # There are no readers but the holder of the lease, so no old version is worth keeping.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            await self._table.optimize(cleanup_older_than=_AT_ONCE, delete_unverified=True)
