"""Reading one generation, and never half of the next."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Self

import pyarrow as pa
from lancedb.query import FullTextOperator, MatchQuery

from retrieval.predicates import in_predicate
from retrieval.schema import TableName
from retrieval.store.errors import GenerationMissing
from retrieval.store.generation import Generation
from retrieval.store.tables import read_rows, translated
from retrieval.store.vectors import Vector, to_matrix


class Snapshot:
    """The tables of one generation, each checked out at the version that the generation names.

    Every method raises `SnapshotLost` if a cleanup removed those versions in the meantime.
    """

    def __init__(self, generation: Generation, tables: Mapping[TableName, Any]) -> None:
        self.generation = generation
        self._tables = tables

    @classmethod
    async def open(cls, database: Any, generation: Generation) -> Self:
        """Opens and checks out the tables of a generation."""
        tables: dict[TableName, Any] = {}
        async with translated():
            for name, place in generation.tables.items():
                table = await database.open_table(place.physical)
                await table.checkout(place.version)
                tables[name] = table
        return cls(generation, tables)

    def has(self, table: TableName) -> bool:
        """Says whether the generation has this table; one without a vector space has no vectors."""
        return table in self._tables

    async def rows(
        self, table: TableName, *, columns: Sequence[str], where: str | None = None, limit: int | None = None
    ) -> pa.Table:
        """Returns the rows that fit `where`, in no particular order."""
        return await read_rows(self._table(table), columns=columns, where=where, limit=limit)

    async def count(self, table: TableName, where: str | None = None) -> int:
        """Counts the rows that fit `where`."""
        async with translated():
            return int(await self._table(table).count_rows(where))

    async def match_terms(
        self, terms: Sequence[str], *, columns: Sequence[str], where: str | None, limit: int
    ) -> pa.Table:
        """Returns up to `limit` chunks that hold at least one of the terms, with the column `_score`.

        The score is the full-text index's own: good enough to pick candidates, not to rank them.
        """
        match = MatchQuery(" ".join(terms), "terms", operator=FullTextOperator.OR)
        query = self._table("chunks").query().nearest_to_text(match).select([*columns, "_score"]).limit(limit)
        if where is not None:
            query = query.where(where)
        async with translated():
            return await query.to_arrow()

    async def nearest(
        self,
        table: Literal["chunk_vectors", "page_vectors"],
        vector: Vector,
        *,
        columns: Sequence[str],
        where: str | None,
        limit: int,
    ) -> pa.Table:
        """Returns up to `limit` rows nearest to a vector of length 1, with the column `_distance`.

        The distance is 1 - cosine.
        """
        query = self._table(table).query().nearest_to(vector).distance_type("cosine")
        query = query.select([*columns, "_distance"]).limit(limit)
        if where is not None:
            query = query.where(where)
        async with translated():
            return await query.to_arrow()

    async def vectors(
        self, table: Literal["chunk_vectors", "page_vectors"], ids: Iterable[str]
    ) -> dict[str, Vector]:
        """Returns the vectors of chunks or pages by id; those that have none are left out."""
        column = "chunk_id" if table == "chunk_vectors" else "page_id"
        rows = await self.rows(table, columns=[column, "vector"], where=in_predicate(column, ids))
        return dict(zip(rows[column].to_pylist(), to_matrix(rows["vector"]), strict=True))

    def close(self) -> None:
        """Lets go of the tables."""
        for table in self._tables.values():
            table.close()

    def _table(self, name: TableName) -> Any:
        try:
            return self._tables[name]
        except KeyError:
            number = self.generation.number
            raise GenerationMissing(
                f"generation {number} has no table {name}; run `wikitrail index`"
            ) from None
