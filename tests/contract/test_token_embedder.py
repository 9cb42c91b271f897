"""What every embedder that shows tokens keeps, the fake one and the real one alike."""

import numpy as np
import pytest
from fakes import FakeEmbedder

from retrieval.embedding.minilm import load_minilm
from retrieval.embedding.token_embedder import TokenEmbedder
from retrieval.refinement.signs import encode_signs, measure_maxsim

TEXTS = ["short", "a much longer text about rolling back a failed deploy " * 5, "middle of the road"]
ODD_TEXTS = ("", " ", "a\x00b", "\ud800", "😀", "关键词召回", "x" * 20_000, "word " * 5_000)


@pytest.fixture(scope="module", params=["fake", "minilm"])
def embedder(request: pytest.FixtureRequest) -> TokenEmbedder:
    return FakeEmbedder() if request.param == "fake" else load_minilm()


def test_it_says_that_it_shows_tokens(embedder: TokenEmbedder) -> None:
    assert isinstance(embedder, TokenEmbedder)


def test_the_vectors_are_those_without_tokens(embedder: TokenEmbedder) -> None:
    vectors, tokens = embedder.embed_with_tokens(TEXTS, "chunk")
    assert np.allclose(vectors, embedder.embed(TEXTS, "chunk"), atol=1e-5)
    assert len(tokens) == len(TEXTS)


def test_no_texts_give_nothing(embedder: TokenEmbedder) -> None:
    vectors, tokens = embedder.embed_with_tokens([], "chunk")
    assert (vectors.shape, tokens) == ((0, embedder.space.dimension), [])


def test_each_token_has_length_one_and_longer_texts_more_of_them(embedder: TokenEmbedder) -> None:
    _, tokens = embedder.embed_with_tokens(TEXTS, "query")
    assert all(np.allclose(np.linalg.norm(each, axis=1), 1, atol=1e-5) for each in tokens)
    assert {(each.dtype, each.shape[1]) for each in tokens} == {(np.dtype(np.float32), tokens[0].shape[1])}
    assert 1 <= len(tokens[0]) < len(tokens[2]) < len(tokens[1])


def test_order_and_company_do_not_matter(embedder: TokenEmbedder) -> None:
    _, together = embedder.embed_with_tokens(TEXTS, "chunk")
    for text, tokens in zip(TEXTS, together, strict=True):
        _, (alone,) = embedder.embed_with_tokens([text], "chunk")
        assert tokens.shape == alone.shape
        assert np.allclose(tokens, alone, atol=1e-5)


def test_text_that_shares_words_has_the_larger_late_interaction(embedder: TokenEmbedder) -> None:
    _, (query,) = embedder.embed_with_tokens(["roll back a failed deploy"], "query")
    _, passages = embedder.embed_with_tokens(["how to roll back a deploy", "recipes with tomatoes"], "chunk")
    near, far = measure_maxsim(query, [encode_signs(tokens) for tokens in passages])
    assert near > far


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_text_has_finite_tokens(embedder: TokenEmbedder, text: str) -> None:
    _, (tokens,) = embedder.embed_with_tokens([text], "query")
    assert len(tokens) >= 1
    assert np.isfinite(tokens).all()
