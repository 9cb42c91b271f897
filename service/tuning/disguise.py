"""A generation as it would be without some heading: what a search for that heading looks into."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from retrieval.predicates import in_predicate
from retrieval.schema import TableName
from retrieval.store import Generation, Snapshot, Vector

VectorTable = Literal["chunk_vectors", "page_vectors"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disguise:
    """What takes the place of the terms and vectors of one page; by chunk id, that of the page by page id.

    `page_terms` is how many terms the whole page has then.
    """

    page_id: str = ""
    terms: Mapping[str, str] = field(default_factory=dict)
    page_terms: int = 0
    chunk_vectors: Mapping[str, Vector] = field(default_factory=dict)
    page_vectors: Mapping[str, Vector] = field(default_factory=dict)


AS_IT_IS = Disguise()


class DisguisedSnapshot(Snapshot):
    """A snapshot that tells of one page what its disguise says, and of all others what is there.

    Which passages the full-text index finds does not change, only what they hold.
    """

    def __init__(self, generation: Generation, tables: Mapping[TableName, Any]) -> None:
        super().__init__(generation, tables)
        self.disguise = AS_IT_IS

    async def rows(
        self, table: TableName, *, columns: Sequence[str], where: str | None = None, limit: int | None = None
    ) -> pa.Table:
        """Returns rows as `Snapshot` does."""
        found = await super().rows(table, columns=columns, where=where, limit=limit)
        return self._dress(found) if table == "chunks" else found

    async def match_terms(
        self, terms: Sequence[str], *, columns: Sequence[str], where: str | None, limit: int
    ) -> pa.Table:
        """Returns chunks as `Snapshot` does."""
        return self._dress(await super().match_terms(terms, columns=columns, where=where, limit=limit))

    async def nearest(
        self, table: VectorTable, vector: Vector, *, columns: Sequence[str], where: str | None, limit: int
    ) -> pa.Table:
        """Returns rows as `Snapshot` does."""
        own, column = self._vectors(table)
        if not own:
            return await super().nearest(table, vector, columns=columns, where=where, limit=limit)
        named = in_predicate(column, own)
        scope = "true" if where is None else f"({where})"
        others = await super().nearest(
            table, vector, columns=columns, where=f"{scope} AND NOT ({named})", limit=limit
        )
        needed = list(dict.fromkeys((*columns, column)))
        dressed = await super().rows(table, columns=needed, where=f"{scope} AND {named}")
        distances = [1.0 - float(np.dot(own[name], vector)) for name in dressed[column].to_pylist()]
        dressed = dressed.select(list(columns)).append_column("_distance", pa.array(distances, pa.float32()))
        joined = pa.concat_tables([others.select(dressed.column_names), dressed])
        return joined.sort_by("_distance").slice(0, limit)

    async def vectors(self, table: VectorTable, ids: Iterable[str]) -> dict[str, Vector]:
        """Returns vectors as `Snapshot` does."""
        own, _ = self._vectors(table)
        found = await super().vectors(table, ids)
        return {name: own.get(name, vector) for name, vector in found.items()}

    def _vectors(self, table: VectorTable) -> tuple[Mapping[str, Vector], str]:
        if table == "chunk_vectors":
            return self.disguise.chunk_vectors, "chunk_id"
        return self.disguise.page_vectors, "page_id"

    def _dress(self, chunks: pa.Table) -> pa.Table:
        hidden = self.disguise
        if not hidden.terms or not {"chunk_id", "page_id", "terms", "page_terms"} <= set(chunks.column_names):
            return chunks
        rows = chunks.to_pylist()
        for row in rows:
            if row["page_id"] == hidden.page_id:
                row["terms"] = hidden.terms.get(row["chunk_id"], row["terms"])
                row["page_terms"] = hidden.page_terms
        return pa.Table.from_pylist(rows, schema=chunks.schema)
