"""Stored vectors against the texts they stand for."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from conformance.case import UnknownInstruction, demand
from conformance.embedder import CaseEmbedder
from conformance.instructions import CHECKS
from conformance.world import World

from chunking import parse_page
from chunking.options import ChunkingOptions

_TOLERANCE = 1e-6


@CHECKS.add("all_vectors")
def check_all_vectors(world: World, *, dim: int | None = None) -> None:
    """Every chunk has exactly one vector, of this dimension."""
    chunks = sorted(row["chunk_id"] for row in world.product.rows("chunks"))
    vectors = world.product.rows("chunk_vectors")
    found = sorted(row["chunk_id"] for row in vectors)
    demand(found == chunks, f"{len(found)} vectors for {len(chunks)} chunks")
    for row in vectors:
        demand(dim is None or len(row["vector"]) == dim, f"a vector has {len(row['vector'])} numbers")


@CHECKS.add("vectors_match_texts")
def check_vectors_match_texts(world: World, *, role: str = "passage") -> None:
    """Every stored vector is what the present model makes of its text in the role of a passage."""
    if role != "passage":
        raise UnknownInstruction(f"unknown role: {role!r}")
    check_all_vectors(world)
    _compare(world, world.embedder)


@CHECKS.add("no_mixed_vectors")
def check_no_mixed_vectors(world: World) -> None:
    """All vectors are of the model that the index names, and a query of another model is not held to them."""
    build = world.product.generation().build
    if build.model is None or build.dimension is None:
        raise UnknownInstruction("the index has no vectors to mix")
    _compare(world, CaseEmbedder(model=build.model, dimension=build.dimension))
    if build.model == world.embedder.space.model:
        return
    text = world.product.rows("chunks")[0]["text"]
    answer = world.service.search({"query": text})
    demand(answer.status == 200, f"a search answers {answer.status}: {answer.text[:500]}")
    mixed = any("vector" in result.sources for result in answer.results)
    demand(not mixed, "a query of the new model was compared with vectors of the old one")


def _compare(world: World, embedder: CaseEmbedder) -> None:
    texts = dict(_embedded_texts(world, embedder))
    for row in world.product.rows("chunk_vectors"):
        (expected,) = embedder.embed([texts[row["chunk_id"]]], "chunk")
        same = np.allclose(row["vector"], expected, atol=_TOLERANCE)
        demand(same, f"{row['path']}: a stored vector is not that of its text")


def _embedded_texts(world: World, embedder: CaseEmbedder) -> Iterator[tuple[str, str]]:
    rows: list[dict[str, Any]] = world.product.rows("pages")
    for row in rows:
        page = parse_page(row["path"], row["text"], options=ChunkingOptions(), counter=embedder.counter)
        for chunk in page.chunks:
            yield chunk.chunk_id, chunk.embedded_text
