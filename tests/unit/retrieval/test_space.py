"""Which embedders are of one space: what they say of themselves, and what they make of the probes."""

from dataclasses import replace

import numpy as np
import pytest
from fakes import REMOTE, FakeEmbedder

from retrieval.embedding.port import VectorSpace
from retrieval.embedding.space import (
    PROBES,
    SAME_COSINE,
    are_alike,
    embed_probes,
    found_space,
    from_record,
    to_record,
)

FAKE = FakeEmbedder()
PROBE_VECTORS = embed_probes(FAKE)
SPACE = found_space(FAKE.space, PROBE_VECTORS)
OWN = FAKE.space


def test_there_is_a_probe_for_each_role() -> None:
    embedder = FakeEmbedder()
    assert embed_probes(embedder).shape == (3, 64)
    assert sorted(PROBES) == ["chunk", "page", "query"]
    assert (embedder.probed, embedder.embedded) == (3, [])


@pytest.mark.parametrize(
    "declared",
    [
        OWN,
        replace(OWN, model="moved"),
        replace(OWN, backend="onnx"),
        replace(OWN, backend=REMOTE, digest="", pooling=""),
    ],
)
def test_a_name_a_backend_and_what_is_not_told_may_differ(declared: VectorSpace) -> None:
    assert SPACE.may_hold(declared)
    assert SPACE.holds(declared, PROBE_VECTORS)


@pytest.mark.parametrize(
    "declared",
    [
        replace(OWN, digest="0" * 64),
        replace(OWN, pooling="cls"),
        replace(OWN, query_prefix="query: "),
        replace(OWN, passage_prefix="passage: "),
        replace(OWN, dimension=32),
    ],
)
def test_weights_pooling_prefixes_and_dimension_may_not(declared: VectorSpace) -> None:
    assert not SPACE.may_hold(declared)
    assert not SPACE.holds(declared, PROBE_VECTORS)


@pytest.mark.parametrize("row", range(3))
@pytest.mark.parametrize(("cosine", "same"), [(0.995, True), (0.985, False)])
def test_each_probe_must_agree(row: int, cosine: float, same: bool) -> None:
    turned = PROBE_VECTORS.copy()
    aside = np.eye(64, dtype=np.float32)[5]
    aside -= (aside @ turned[row]) * turned[row]
    turned[row] = cosine * turned[row] + (1 - cosine**2) ** 0.5 * aside / np.linalg.norm(aside)
    assert (cosine >= SAME_COSINE) == same
    assert SPACE.holds(OWN, turned) == same


def test_vectors_of_another_dimension_are_not_alike() -> None:
    assert not are_alike(PROBE_VECTORS, PROBE_VECTORS[:, :32])


def test_equal_embedders_found_equal_spaces_and_others_do_not() -> None:
    noise = np.float32(1e-6)
    assert found_space(OWN, PROBE_VECTORS + noise).id == SPACE.id
    assert found_space(replace(OWN, backend="onnx"), PROBE_VECTORS).id == SPACE.id
    changed = FakeEmbedder(backend=REMOTE, weights="other")
    same_name = found_space(FakeEmbedder(backend=REMOTE).space, PROBE_VECTORS)
    assert found_space(changed.space, embed_probes(changed)).id != same_name.id
    assert len(SPACE.id) == 32


def test_a_record_is_read_back_as_it_was_written() -> None:
    assert from_record(to_record(SPACE)) == SPACE


@pytest.mark.parametrize("change", [{"probes": "%"}, {"declared": {"model": "m"}}, {"id": None}])
def test_another_record_is_refused(change: dict[str, object]) -> None:
    record = {key: value for key, value in {**to_record(SPACE), **change}.items() if value is not None}
    with pytest.raises((KeyError, TypeError, ValueError)):
        from_record(record)


@pytest.mark.parametrize(("least", "origin"), [(0.8, 0.72), (0.0, 0.0), (-0.3, 0.0)])
def test_cosines_say_something_from_a_tenth_below_that_of_unlike_probes(least: float, origin: float) -> None:
    probes = np.zeros((3, 4), dtype=np.float32)
    probes[:, 0], probes[2, 0] = 1, least
    probes[2, 1] = np.sqrt(1 - least**2)
    assert found_space(OWN, probes).origin == pytest.approx(origin, abs=1e-3)
