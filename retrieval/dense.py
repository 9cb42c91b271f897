"""The dense lane: passages near the query's vector, by their own vectors or by those of their pages.

At the level of a language model's choice the chosen pages take the place of near ones.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from retrieval.candidate import COLUMNS, Candidate, read_candidate
from retrieval.ladder import Rung
from retrieval.predicates import in_predicate
from retrieval.store import Snapshot, Vector

NEAREST_PAGES = 40
"""Pages that are looked into at the page level, and at the chunk level for passages without a vector."""

# A few huge pages among the nearest must not make a query slow, nor keep the other pages out.
_MOST_CHUNKS = 2_000


async def find_nearest(snapshot: Snapshot, rung: Rung, *, where: str | None, limit: int) -> list[Candidate]:
    """Returns chunks near the query with their dense score: at most `limit`, or all chunks of near pages.

    Where some chunks have vectors and others not, those that come with their page have no score yet.
    """
    if rung.vector is None:
        return await _read_pages(snapshot, score_choice(rung.chosen), where) if rung.chosen else []
    if rung.level == "page":
        return await _read_pages(snapshot, await _find_near_pages(snapshot, rung.vector, where), where)
    found = await _find_near_chunks(snapshot, rung.vector, where, limit)
    if rung.reason is None:
        return found
    seen = {candidate.chunk_id for candidate in found}
    near = await _find_near_pages(snapshot, rung.vector, where)
    more = await read_candidates(snapshot, "page_id", near, where=where)
    return [*found, *(candidate for candidate in more if candidate.chunk_id not in seen)]


async def measure_pages(snapshot: Snapshot, rung: Rung, candidates: Sequence[Candidate]) -> dict[str, float]:
    """Returns the dense score of the candidates' pages by page id, as far as they have one."""
    if rung.vector is None:
        return score_choice(rung.chosen)
    vectors = await snapshot.vectors("page_vectors", {candidate.page_id for candidate in candidates})
    return {page: _cosine(rung.vector, vector) for page, vector in vectors.items()}


async def measure_chunks(snapshot: Snapshot, rung: Rung, candidates: Sequence[Candidate]) -> dict[str, float]:
    """Returns the cosine of the candidates' own vectors by chunk id, at the level that searches these."""
    if rung.vector is None or rung.level != "chunk" or not candidates:
        return {}
    vectors = await snapshot.vectors("chunk_vectors", [candidate.chunk_id for candidate in candidates])
    return {chunk: _cosine(rung.vector, vector) for chunk, vector in vectors.items()}


def score_choice(chosen: Sequence[str]) -> dict[str, float]:
    """Returns a score for each chosen page, 1.0 for the first and evenly less down to one half."""
    return {page: 1.0 - place / (2 * len(chosen)) for place, page in enumerate(chosen)}


async def read_candidates(
    snapshot: Snapshot, column: str, values: Iterable[str], *, where: str | None = None
) -> list[Candidate]:
    """Returns the chunks in scope whose `column` (chunk_id, page_id or path) is one of the values.

    Where there are too many, long pages give their first chunks only, all of them equally far.
    """
    among = in_predicate(column, values)
    among = among if where is None else f"{among} AND {where}"
    rows = await snapshot.rows("chunks", columns=COLUMNS, where=among, limit=_MOST_CHUNKS + 1)
    if rows.num_rows > _MOST_CHUNKS:
        first = f"{among} AND ordinal < {await _bound_ordinals(snapshot, among)}"
        rows = await snapshot.rows("chunks", columns=COLUMNS, where=first)
    return [read_candidate(row) for row in rows.to_pylist()]


async def _bound_ordinals(snapshot: Snapshot, among: str) -> int:
    """Returns the ordinal below which there are not too many of these chunks."""
    ordinals = await snapshot.rows("chunks", columns=["ordinal"], where=among)
    return int(sorted(ordinals["ordinal"].to_pylist())[_MOST_CHUNKS])


async def _find_near_chunks(
    snapshot: Snapshot, vector: Vector, where: str | None, limit: int
) -> list[Candidate]:
    rows = await snapshot.nearest("chunk_vectors", vector, columns=["chunk_id"], where=where, limit=limit)
    similar = _similarities(rows["chunk_id"].to_pylist(), rows["_distance"].to_pylist())
    candidates = await read_candidates(snapshot, "chunk_id", similar)
    return [_score(candidate, similar[candidate.chunk_id]) for candidate in candidates]


async def _find_near_pages(snapshot: Snapshot, vector: Vector, where: str | None) -> dict[str, float]:
    rows = await snapshot.nearest(
        "page_vectors", vector, columns=["page_id"], where=where, limit=NEAREST_PAGES
    )
    return _similarities(rows["page_id"].to_pylist(), rows["_distance"].to_pylist())


async def _read_pages(snapshot: Snapshot, scores: Mapping[str, float], where: str | None) -> list[Candidate]:
    """Returns the chunks of pages, each with the score of its page."""
    candidates = await read_candidates(snapshot, "page_id", scores, where=where)
    return [_score(candidate, scores[candidate.page_id]) for candidate in candidates]


def _score(candidate: Candidate, dense: float) -> Candidate:
    return replace(candidate, scores=replace(candidate.scores, dense=dense))


def _similarities(ids: Sequence[str], distances: Sequence[float]) -> dict[str, float]:
    return {identity: 1.0 - distance for identity, distance in zip(ids, distances, strict=True)}


def _cosine(query: Vector, vector: Vector) -> float:
    # Both have length 1.
    return float(np.dot(query, vector))
