"""The dense lane: passages near the query's vector, by their own vectors or by those of their pages."""

from collections.abc import Iterable, Sequence

import numpy as np

from retrieval.candidate import COLUMNS, Candidate, read_candidate
from retrieval.ladder import Rung
from retrieval.predicates import in_predicate
from retrieval.store import Snapshot, Vector

NEAREST_PAGES = 40
"""Pages that are looked into at the page level, and at the chunk level for passages without a vector."""

# A few huge pages among the nearest must not make a query slow.
_MOST_CHUNKS = 2_000


async def find_nearest(snapshot: Snapshot, rung: Rung, *, where: str | None, limit: int) -> list[Candidate]:
    """Returns chunks near the query's vector, not scored yet: at the page level all chunks of near pages."""
    if rung.vector is None:
        return []
    found: list[Candidate] = []
    if rung.level == "chunk":
        found += await _nearest_chunks(snapshot, rung.vector, where, limit)
    if rung.level == "page" or rung.reason is not None:
        found += await _chunks_of_nearest_pages(snapshot, rung.vector, where)
    return found


async def measure_similarity(
    snapshot: Snapshot, rung: Rung, candidates: Sequence[Candidate]
) -> dict[str, float]:
    """Returns the cosine of the query with each candidate by chunk id: with its own vector, else its page's."""
    if rung.vector is None:
        return {}
    similar: dict[str, float] = {}
    if rung.level == "chunk":
        vectors = await snapshot.vectors("chunk_vectors", [item.chunk_id for item in candidates])
        similar = {chunk: _cosine(rung.vector, vector) for chunk, vector in vectors.items()}
    rest = [candidate for candidate in candidates if candidate.chunk_id not in similar]
    if rest:
        pages = await snapshot.vectors("page_vectors", {candidate.page_id for candidate in rest})
        by_page = {page: _cosine(rung.vector, vector) for page, vector in pages.items()}
        similar |= {
            candidate.chunk_id: by_page[candidate.page_id]
            for candidate in rest
            if candidate.page_id in by_page
        }
    return similar


async def read_candidates(
    snapshot: Snapshot, column: str, values: Iterable[str], *, where: str | None = None
) -> list[Candidate]:
    """Returns the chunks in scope whose `column` (chunk_id, page_id or path) is one of the values."""
    among = in_predicate(column, values)
    among = among if where is None else f"{among} AND {where}"
    rows = await snapshot.rows("chunks", columns=COLUMNS, where=among, limit=_MOST_CHUNKS)
    return [read_candidate(row) for row in rows.to_pylist()]


async def _nearest_chunks(
    snapshot: Snapshot, vector: Vector, where: str | None, limit: int
) -> list[Candidate]:
    rows = await snapshot.nearest("chunk_vectors", vector, columns=["chunk_id"], where=where, limit=limit)
    return await read_candidates(snapshot, "chunk_id", rows["chunk_id"].to_pylist())


async def _chunks_of_nearest_pages(snapshot: Snapshot, vector: Vector, where: str | None) -> list[Candidate]:
    rows = await snapshot.nearest(
        "page_vectors", vector, columns=["page_id"], where=where, limit=NEAREST_PAGES
    )
    return await read_candidates(snapshot, "page_id", rows["page_id"].to_pylist())


def _cosine(query: Vector, vector: Vector) -> float:
    # Both have length 1.
    return float(np.dot(query, vector))
