"""A generation as a row of the log."""

import json
from dataclasses import replace

from fakes import FakeEmbedder

from retrieval.embedding.port import space_id
from retrieval.embedding.space import embed_probes, found_space
from retrieval.store import Build, Counts, Generation, TableVersion
from retrieval.store.generation import from_row, to_row

EMBEDDER = FakeEmbedder()
SPACE = found_space(EMBEDDER.space, embed_probes(EMBEDDER))
GENERATION = Generation(
    number=3,
    commit_id="c",
    parent="b",
    created=1.5,
    build=Build(
        schema=2,
        chunker=1,
        analyzer=1,
        dialect="obsidian",
        max_tokens=64,
        tokenizer="words",
        space=space_id(EMBEDDER.space),
        dimension=64,
        model="fake",
    ),
    space=SPACE,
    counts=Counts(pages=1, chunks=2),
    assets="a",
    tables={"pages": TableVersion(physical="pages-1", version=7)},
)


def test_a_row_is_read_back_as_it_was_written() -> None:
    assert from_row(to_row(GENERATION)) == GENERATION
    assert from_row(to_row(replace(GENERATION, space=None))) == replace(GENERATION, space=None)


def test_a_row_of_the_first_schema_has_no_space() -> None:
    row = to_row(GENERATION)
    record = json.loads(row["record"])
    del record["space"]
    assert from_row({**row, "record": json.dumps(record)}) == replace(GENERATION, space=None)


def test_the_config_digest_names_build_and_space() -> None:
    others = (
        replace(GENERATION, space=replace(SPACE, id="0" * 32)),
        replace(GENERATION, space=None),
        replace(GENERATION, build=replace(GENERATION.build, chunker=2)),
    )
    assert len({generation.config_digest for generation in (GENERATION, *others)}) == 4
    assert replace(GENERATION, number=4, counts=Counts()).config_digest == GENERATION.config_digest
