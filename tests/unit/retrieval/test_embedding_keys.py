"""Which vectors may be compared and which text shares a vector."""

from dataclasses import replace

import numpy as np
import pytest

from retrieval.embedding.port import EmbedderError, VectorSpace, embedding_key, space_id
from retrieval.embedding.sentence_transformer import normalise_vectors

SPACE = VectorSpace(
    model="m", digest="d", pooling="mean", query_prefix="", passage_prefix="", dimension=3, backend="torch"
)


@pytest.mark.parametrize(
    "other",
    [
        replace(SPACE, model="n"),
        replace(SPACE, digest="e"),
        replace(SPACE, pooling="cls"),
        replace(SPACE, query_prefix="query: "),
        replace(SPACE, passage_prefix="query: "),
        replace(SPACE, dimension=4),
    ],
)
def test_what_changes_vectors_is_another_space(other: VectorSpace) -> None:
    assert space_id(other) != space_id(SPACE)


def test_backend_is_no_other_space() -> None:
    assert space_id(replace(SPACE, backend="onnx")) == space_id(SPACE)


def test_embedding_key_tells_space_role_and_text_apart() -> None:
    keys = {
        embedding_key(space, role, text)
        for space in ("s", "t")
        for role in ("query", "chunk", "page")
        for text in ("", "a", "a\x00b", "\ud800")
    }
    assert len(keys) == 24
    assert {len(key) for key in keys} == {32}


def test_vectors_are_scaled_to_length_one() -> None:
    assert normalise_vectors(np.array([[3, 4]], dtype=np.float32), 2).tolist() == [
        pytest.approx([0.6, 0.8], abs=1e-6)
    ]


@pytest.mark.parametrize("bad", [0.0, float("nan"), float("inf")])
def test_unusable_vector_is_named_by_position(bad: float) -> None:
    vectors = np.array([[1, 1], [bad, bad], [bad, bad]], dtype=np.float32)
    with pytest.raises(EmbedderError, match="text 1 is zero or not finite") as caught:
        normalise_vectors(vectors, 2)
    assert caught.value.position == 1


def test_other_dimension_is_refused() -> None:
    with pytest.raises(EmbedderError, match="not 3 numbers a text") as caught:
        normalise_vectors(np.ones((2, 2), dtype=np.float32), 3)
    assert caught.value.position is None
