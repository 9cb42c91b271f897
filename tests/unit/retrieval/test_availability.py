"""The level that is told without asking is the one at which a query is answered."""

import math

import pytest
from fakes import FakeChooser, FakeEmbedder

from retrieval.availability import highest_level
from retrieval.deadline import Deadline
from retrieval.embedding.port import space_id
from retrieval.embedding.space import embed_probes, found_space
from retrieval.ladder import choose_rung
from retrieval.models import Models
from retrieval.query_embedder import QueryEmbedder
from retrieval.stopwatch import Stopwatch
from retrieval.store import Build, Counts, Generation, Snapshot
from retrieval.warnings import Level

pytestmark = pytest.mark.anyio

EMBEDDER = FakeEmbedder()


def generation_of(counts: Counts) -> Generation:
    return Generation(
        number=1,
        commit_id="c",
        parent="",
        created=0.0,
        build=Build(
            schema=2,
            chunker=1,
            analyzer=1,
            dialect="obsidian",
            max_tokens=64,
            tokenizer="words",
            space=space_id(EMBEDDER.space),
            dimension=EMBEDDER.space.dimension,
            model="fake",
        ),
        space=found_space(EMBEDDER.space, embed_probes(EMBEDDER)),
        counts=counts,
        assets="",
    )


@pytest.mark.parametrize(
    ("counts", "level"),
    [
        (Counts(chunks=10, embedded=10, page_vectors=4), "chunk"),
        (Counts(chunks=10, embedded=5, page_vectors=4), "chunk"),
        (Counts(chunks=10, embedded=4, page_vectors=4), "page"),
        (Counts(chunks=10, embedded=4, failed=2, page_vectors=4), "chunk"),
        (Counts(chunks=10, embedded=0, page_vectors=4), "page"),
        (Counts(chunks=10, embedded=1, page_vectors=0), "chunk"),
        (Counts(chunks=10, embedded=0, page_vectors=0), "lexical"),
        (Counts(), "chunk"),
    ],
)
async def test_counts_of_vectors_decide(counts: Counts, level: Level) -> None:
    generation, queries = generation_of(counts), QueryEmbedder(EMBEDDER)
    assert highest_level(generation, Models(embedder=queries)) == level
    snapshot = Snapshot(generation, {"chunk_vectors": None, "page_vectors": None})
    rung = await choose_rung(
        snapshot,
        "query",
        queries,
        where=None,
        mode="auto",
        deadline=Deadline(math.inf),
        stopwatch=Stopwatch(),
    )
    assert rung.level == level


def test_without_vectors_a_language_model_is_next() -> None:
    generation = generation_of(Counts(chunks=1))
    assert highest_level(generation, Models(chooser=FakeChooser())) == "llm"
    assert highest_level(generation, Models()) == "lexical"
