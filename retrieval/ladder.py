"""The ladder of the dense lane: chunk vectors, then page vectors, then none, and why.

What a rung offers is decided before anything is searched, from the generation, the vector of the query and the
share of passages in scope that have a vector.
"""

from dataclasses import dataclass

from retrieval.pack import Step
from retrieval.query_embedder import QueryEmbedder, QueryVector
from retrieval.request import Mode
from retrieval.store import Generation, Snapshot, Vector
from retrieval.warnings import Level, Reason

ENOUGH_COVERAGE = 0.5
"""With vectors for this share of the passages, the level stays chunk; the rest enters by page vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """Where the dense lane stands: its level, the steps down to it, and the query's vector if it has one.

    `reason` is why the level is less than full chunk vectors, None where it is not or was asked for.
    """

    level: Level
    steps: tuple[Step, ...]
    coverage: float
    vector: Vector | None = None
    reason: Reason | None = None


async def choose_rung(
    snapshot: Snapshot, query: str, embedder: QueryEmbedder | None, *, where: str | None, mode: Mode
) -> Rung:
    """Returns the highest rung that a query can be answered on, or the one asked for."""
    if mode in ("lexical", "llm"):
        return _words_alone(Step(level="lexical", outcome="used", reason=None))
    found = await _embed_query(snapshot.generation, query, embedder)
    if found.vector is None:
        return _step_down(found.reason or "embedder-unavailable")
    coverage = await measure_coverage(snapshot, where)
    if mode == "page":
        return _page_rung(found.vector, coverage, ())
    return await _choose_level(snapshot, found.vector, coverage, mode)


async def measure_coverage(snapshot: Snapshot, where: str | None) -> float:
    """Returns the share of embeddable chunks in scope that have a vector; an empty scope has all of them.

    Chunks that cannot be embedded are issues of the index and count on neither side.
    """
    counts = snapshot.generation.counts
    if counts.pending == 0:
        return 1.0
    if where is None:
        return counts.embedded / (counts.chunks - counts.failed)
    chunks = await snapshot.count("chunks", where)
    return min(1.0, await snapshot.count("chunk_vectors", where) / chunks) if chunks else 1.0


async def _embed_query(generation: Generation, query: str, embedder: QueryEmbedder | None) -> QueryVector:
    if embedder is None:
        return QueryVector(reason="disabled")
    if generation.build.space is None:
        return QueryVector(reason="chunk-vectors-missing")
    if generation.build.space != embedder.space:
        return QueryVector(reason="space-mismatch")
    return await embedder.embed(query)


async def _choose_level(snapshot: Snapshot, vector: Vector, coverage: float, mode: Mode) -> Rung:
    if coverage == 1.0:
        used = Step(level="chunk", outcome="used", reason=None)
        return Rung(level="chunk", steps=(used,), coverage=coverage, vector=vector)
    reason: Reason = "chunk-vectors-partial" if coverage > 0 else "chunk-vectors-missing"
    if coverage >= ENOUGH_COVERAGE or (mode == "chunk" and coverage > 0):
        partial = Step(level="chunk", outcome="partial", reason=reason)
        return Rung(level="chunk", steps=(partial,), coverage=coverage, vector=vector, reason=reason)
    missing = Step(level="chunk", outcome="partial" if coverage else "unavailable", reason=reason)
    if snapshot.generation.counts.page_vectors > 0:
        return _page_rung(vector, coverage, (missing,), reason)
    return _words_alone(missing, Step(level="lexical", outcome="used", reason=None), reason=reason)


def _page_rung(
    vector: Vector, coverage: float, above: tuple[Step, ...], reason: Reason | None = None
) -> Rung:
    used = Step(level="page", outcome="used", reason=None)
    return Rung(level="page", steps=(*above, used), coverage=coverage, vector=vector, reason=reason)


def _step_down(reason: Reason) -> Rung:
    """Returns the rung of a query without a vector: neither chunk nor page vectors can be searched."""
    return _words_alone(
        Step(level="chunk", outcome="unavailable", reason=reason),
        Step(level="page", outcome="unavailable", reason=reason),
        Step(level="lexical", outcome="used", reason=None),
        reason=reason,
    )


def _words_alone(*steps: Step, reason: Reason | None = None) -> Rung:
    return Rung(level="lexical", steps=steps, coverage=0.0, reason=reason)
