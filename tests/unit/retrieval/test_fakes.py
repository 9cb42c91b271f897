"""The fake embedder fails as it says: tests elsewhere lean on it."""

import numpy as np
import pytest
from fakes import REMOTE, FakeEmbedder

from retrieval.embedding.port import EmbedderError, space_id
from retrieval.relevance import estimate_best


def test_counts_texts_by_role() -> None:
    embedder = FakeEmbedder()
    embedder.embed(["a", "b"], "chunk")
    embedder.embed(["a"], "query")
    assert (embedder.count("chunk"), embedder.count("query"), embedder.requests) == (2, 1, 2)
    embedder.forget()
    assert (embedder.count("chunk"), embedder.requests) == (0, 0)


def test_roles_and_models_give_other_vectors() -> None:
    embedder, other = FakeEmbedder(), FakeEmbedder(model="other")
    chunk = embedder.embed(["alpha beta"], "chunk")
    assert not np.array_equal(chunk, embedder.embed(["alpha beta"], "query"))
    assert not np.array_equal(chunk, other.embed(["alpha beta"], "chunk"))
    assert space_id(embedder.space) != space_id(other.space)


def test_weights_decide_the_vectors_and_the_name_does_not() -> None:
    embedder = FakeEmbedder()
    renamed = FakeEmbedder(model="other", weights="fake")
    endpoint, changed = (FakeEmbedder(backend=REMOTE, weights=weights) for weights in ("fake", "other"))
    chunk = embedder.embed(["alpha beta"], "chunk")
    assert space_id(embedder.space) != space_id(renamed.space)
    assert changed.space == endpoint.space
    assert not np.array_equal(chunk, changed.embed(["alpha beta"], "chunk"))
    assert np.array_equal(chunk, endpoint.embed(["alpha beta"], "chunk"))
    assert np.array_equal(chunk, renamed.embed(["alpha beta"], "chunk"))


def test_synonyms_are_alike_and_over_the_floor_without_a_shared_word() -> None:
    embedder = FakeEmbedder(synonyms={"automobile": "car", "fix": "repair"})
    query = embedder.embed(["fix automobile"], "query")[0]
    (passage,) = embedder.embed(["Car repair"], "chunk")
    best = estimate_best(embedder.calibration, cosine=float(query @ passage), held=0.0)
    assert best > 0.9 > embedder.calibration.floor


@pytest.mark.parametrize(("share", "answered"), [(0.0, False), (0.01, True), (1.0, True)])
def test_words_decide_where_cosines_are_those_of_chance(share: float, answered: bool) -> None:
    calibration = FakeEmbedder().calibration
    assert (estimate_best(calibration, cosine=0.4, held=share) > calibration.floor) == answered
    assert (estimate_best(calibration, cosine=0.01, held=share) > calibration.floor) == answered


def test_fails_after_so_many_texts_and_names_the_first() -> None:
    embedder = FakeEmbedder()
    embedder.fail_after = 2
    with pytest.raises(EmbedderError) as caught:
        embedder.embed(["a", "b", "c", "d"], "chunk")
    assert caught.value.position == 2
    assert embedder.embed(["a", "b"], "chunk").shape == (2, 64)
    with pytest.raises(EmbedderError):
        embedder.embed(["c"], "chunk")


@pytest.mark.parametrize("mode", ["fail_on", "nan_on", "zero_on"])
def test_fails_on_a_text_and_recovers(mode: str) -> None:
    embedder = FakeEmbedder()
    setattr(embedder, mode, "bad")
    with pytest.raises(EmbedderError) as caught:
        embedder.embed(["good", "bad"], "chunk")
    assert caught.value.position == 1
    assert embedder.count("chunk") == 0
    embedder.recover()
    assert embedder.embed(["bad"], "chunk").shape == (1, 64)


@pytest.mark.parametrize("mode", ["raising", "wrong_dimension"])
def test_fails_altogether(mode: str) -> None:
    embedder = FakeEmbedder()
    setattr(embedder, mode, True)
    with pytest.raises(EmbedderError) as caught:
        embedder.embed(["a"], "query")
    assert caught.value.position is None


def test_hanging_call_ends_when_released() -> None:
    embedder = FakeEmbedder()
    embedder.hang_seconds = 60
    embedder.release()
    assert embedder.embed(["a"], "query").shape == (1, 64)
