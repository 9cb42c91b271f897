"""A generation as a row of the log."""

import json
from dataclasses import replace

from fakes import FakeEmbedder

from retrieval.embedding.port import space_id
from retrieval.embedding.space import embed_probes, found_space
from retrieval.expectation import PUBLIC_SHARES, expect_quality
from retrieval.store import Build, Counts, Generation, TableVersion
from retrieval.store.generation import from_row, to_row
from retrieval.tuning import Basis, Gain, Provenance, Tuning
from retrieval.warnings import Expectation
from retrieval.weights import RANKING_VERSION, RankingWeights

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

TUNING = Tuning(
    weights=RankingWeights(dense=0.8),
    floor=0.25,
    shares={"page": 0.9, "lexical": 0.7},
    basis=Basis(space=SPACE.id, analyzer=1),
    provenance=Provenance(
        created=1.0,
        generation=2,
        seed=0,
        labels={"heading": 40, "link": 60},
        gain=Gain(labels=50, before=0.5, after=0.6, low=0.05, high=0.15, taken=True),
    ),
)
TUNED = replace(GENERATION, tuning=TUNING)


def test_a_row_is_read_back_as_it_was_written() -> None:
    assert from_row(to_row(GENERATION)) == GENERATION
    assert from_row(to_row(replace(GENERATION, space=None))) == replace(GENERATION, space=None)
    assert from_row(to_row(TUNED)) == TUNED


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


def test_the_config_digest_names_what_a_tuning_does_and_not_where_it_comes_from() -> None:
    other_weights = replace(TUNED, tuning=replace(TUNING, weights=RankingWeights(dense=0.7)))
    other_floor = replace(TUNED, tuning=replace(TUNING, floor=None))
    other_shares = replace(TUNED, tuning=replace(TUNING, shares={"page": 0.8, "lexical": 0.7}))
    all_of_them = (GENERATION, TUNED, other_weights, other_floor, other_shares)
    assert len({generation.config_digest for generation in all_of_them}) == 5
    later = replace(TUNING, provenance=replace(TUNING.provenance, created=9.0))
    assert replace(TUNED, tuning=later).config_digest == TUNED.config_digest


def test_a_tuning_is_at_work_for_the_vectors_terms_and_ranking_it_was_fitted_to() -> None:
    assert TUNED.tuning_at_work == TUNING
    others = (
        replace(TUNED, space=replace(SPACE, id="0" * 32)),
        replace(TUNED, space=None),
        replace(TUNED, build=replace(TUNED.build, analyzer=2)),
        replace(TUNED, tuning=replace(TUNING, basis=replace(TUNING.basis, ranking=RANKING_VERSION + 1))),
    )
    for generation in others:
        assert generation.tuning_at_work is None
        assert generation.config_digest == replace(generation, tuning=None).config_digest


def test_a_tuning_in_another_form_does_not_hide_the_index() -> None:
    row = to_row(TUNED)
    record = json.loads(row["record"])
    record["tuning"]["weights"]["a_weight_of_later"] = 1.0
    assert from_row({**row, "record": json.dumps(record)}) == GENERATION
    del record["tuning"]
    assert from_row({**row, "record": json.dumps(record)}) == GENERATION


def test_what_to_expect_of_a_level_is_what_was_measured_on_the_wiki_or_else_on_public_sets() -> None:
    assert expect_quality(TUNED, "lexical", coverage=0.0) == Expectation(share=0.7, measured_on="own-labels")
    assert expect_quality(GENERATION, "page", coverage=0.3) == Expectation(
        share=PUBLIC_SHARES["page"], measured_on="public-sets"
    )
    assert expect_quality(TUNED, "llm", coverage=0.0) is None


def test_passages_without_vectors_are_expected_to_be_found_as_at_the_level_of_pages() -> None:
    assert expect_quality(TUNED, "chunk", coverage=0.5) == Expectation(share=0.95, measured_on="own-labels")
