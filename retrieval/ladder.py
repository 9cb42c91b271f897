"""The ladder of the dense lane: chunk vectors, then page vectors, then a language model's choice, then none.

What a rung of vectors offers is decided before anything is searched, from the generation, the vector of the
query and the share of passages in scope that have a vector. `retrieval.choice` takes the step to the language
model.
"""

import math
from dataclasses import dataclass, replace

from retrieval.deadline import Deadline
from retrieval.pack import Step
from retrieval.predicates import in_predicate
from retrieval.query_embedder import QueryEmbedder, QueryVector
from retrieval.request import Mode
from retrieval.stopwatch import Stopwatch
from retrieval.store import Generation, Snapshot, Vector
from retrieval.warnings import Level, Reason

ENOUGH_COVERAGE = 0.5
"""With vectors for this share of the passages, the level stays chunk; the rest enters by page vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """Where the dense lane stands: its level, the steps down to it, and what it searches with.

    `vector` is the query's, at the levels chunk and page; `chosen` are the ids of the pages that a language
    model chose, best first, at the level llm. `reason` is why the level is less than full chunk vectors, None
    where it is not or was asked for. `choice_failed` says that a language model was to choose and could not.
    """

    level: Level
    steps: tuple[Step, ...]
    coverage: float
    vector: Vector | None = None
    chosen: tuple[str, ...] = ()
    reason: Reason | None = None
    choice_failed: bool = False


async def choose_rung(
    snapshot: Snapshot,
    query: str,
    embedder: QueryEmbedder | None,
    *,
    where: str | None,
    mode: Mode,
    deadline: Deadline,
    stopwatch: Stopwatch,
) -> Rung:
    """Returns the highest rung of vectors that a query can be answered on, or the one asked for.

    In the modes that want no vector, and where none can be had, that is the level lexical.
    """
    coverage = await measure_coverage(snapshot, where)
    if mode in ("lexical", "llm"):
        return Rung(level="lexical", steps=(_used("lexical"),), coverage=coverage)
    found = await _embed_query(snapshot.generation, query, embedder, deadline, stopwatch)
    if found.vector is None:
        return _step_down(found.reason or "embedder-unavailable", coverage)
    return _choose_level(snapshot.generation, found.vector, coverage, mode)


async def measure_coverage(snapshot: Snapshot, where: str | None) -> float:
    """Returns the share of embeddable chunks in scope that have a vector; an empty scope has all of them.

    Chunks that cannot be embedded are issues of the index and count on neither side.
    """
    counts = snapshot.generation.counts
    if counts.pending == 0:
        return 1.0
    if not snapshot.has("chunk_vectors"):
        return 0.0 if where is None or await snapshot.count("chunks", where) else 1.0
    if where is None:
        return counts.embedded / (counts.chunks - counts.failed)
    embeddable = await snapshot.count("chunks", where) - await _count_failed(snapshot, where)
    return await snapshot.count("chunk_vectors", where) / embeddable if embeddable else 1.0


def step_to_choice(rung: Rung, chosen: tuple[str, ...]) -> Rung:
    """Returns the rung of a language model's choice, below one that gave nothing or too little."""
    return replace(rung, level="llm", steps=(*_left(rung), _used("llm")), vector=None, chosen=chosen)


def stay_without_choice(rung: Rung, *, failed: bool) -> Rung:
    """Returns the rung after a language model was asked in vain: it failed, or found that no page fits."""
    asked = Step(level="llm", outcome="unavailable" if failed else "weak", reason=None)
    words = (_used("lexical"),) if rung.level == "lexical" else ()
    return replace(rung, steps=(*_left(rung), asked, *words), choice_failed=failed)


async def _count_failed(snapshot: Snapshot, where: str) -> int:
    """Counts the chunks in scope that could not be embedded."""
    if snapshot.generation.counts.failed == 0:
        return 0
    issues = await snapshot.rows("issues", columns=["chunk_id"], where="chunk_id IS NOT NULL")
    failed = in_predicate("chunk_id", issues["chunk_id"].to_pylist())
    return await snapshot.count("chunks", f"{failed} AND {where}")


async def _embed_query(
    generation: Generation,
    query: str,
    embedder: QueryEmbedder | None,
    deadline: Deadline,
    stopwatch: Stopwatch,
) -> QueryVector:
    if embedder is None:
        return QueryVector(reason="disabled")
    if generation.space is None:
        return QueryVector(reason="chunk-vectors-missing")
    with stopwatch.measure("embedding"):
        return await embedder.embed(query, generation.space, seconds=deadline.left(math.inf))


def _choose_level(generation: Generation, vector: Vector, coverage: float, mode: Mode) -> Rung:
    pages = generation.counts.page_vectors > 0
    if mode == "page" and pages:
        return Rung(level="page", steps=(_used("page"),), coverage=coverage, vector=vector)
    if coverage == 1.0:
        return Rung(level="chunk", steps=(_used("chunk"),), coverage=coverage, vector=vector)
    reason: Reason = "chunk-vectors-partial" if coverage > 0 else "chunk-vectors-missing"
    partial = Step(level="chunk", outcome="partial" if coverage else "unavailable", reason=reason)
    if coverage >= ENOUGH_COVERAGE or (coverage > 0 and (mode == "chunk" or not pages)):
        return Rung(level="chunk", steps=(partial,), coverage=coverage, vector=vector, reason=reason)
    if pages:
        steps = (partial, _used("page"))
        return Rung(level="page", steps=steps, coverage=coverage, vector=vector, reason=reason)
    return _step_down(reason, coverage)


def _step_down(reason: Reason, coverage: float) -> Rung:
    """Returns the rung of a query without a vector: neither chunk nor page vectors can be searched."""
    steps = (
        Step(level="chunk", outcome="unavailable", reason=reason),
        Step(level="page", outcome="unavailable", reason=reason),
        _used("lexical"),
    )
    return Rung(level="lexical", steps=steps, coverage=coverage, reason=reason)


def _left(rung: Rung) -> tuple[Step, ...]:
    """Returns the steps to where a rung is left for the next: its own level, if it had any, was too weak."""
    above, own = rung.steps[:-1], rung.steps[-1]
    return above if rung.level == "lexical" else (*above, replace(own, outcome="weak"))


def _used(level: Level) -> Step:
    return Step(level=level, outcome="used", reason=None)
