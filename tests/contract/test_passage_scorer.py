"""What every passage scorer keeps, the fake one and the real one alike."""

import json
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
from fakes import FakeScorer

from retrieval.embedding.cross_encoder import load_cross_encoder
from retrieval.embedding.minilm import find_minilm
from retrieval.embedding.passage_scorer import PassageScorer, ScorerError

QUERY = "roll back a failed deploy"
ODD_TEXTS = ("", " ", "a\x00b", "\ud800", "😀", "关键词召回", "x" * 20_000, "word " * 5_000)


@pytest.fixture(scope="module")
def random_head(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a cross-encoder of the packaged network, with a head of random numbers."""
    from sentence_transformers import CrossEncoder

    folder = tmp_path_factory.mktemp("models") / "random-head"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library says that the head is new
        CrossEncoder(str(find_minilm()), num_labels=1, device="cpu", local_files_only=True).save_pretrained(
            str(folder)
        )
    return folder


@pytest.fixture(scope="module", params=["fake", "random head"])
def scorer(request: pytest.FixtureRequest) -> PassageScorer:
    if request.param == "fake":
        return FakeScorer()
    return load_cross_encoder(request.getfixturevalue("random_head"))


def test_each_passage_has_one_finite_number(scorer: PassageScorer) -> None:
    fits = scorer.score(QUERY, ["how to roll back a deploy", "recipes with tomatoes"])
    assert (fits.shape, fits.dtype) == ((2,), np.float32)
    assert np.isfinite(fits).all()


def test_no_passages_give_no_numbers(scorer: PassageScorer) -> None:
    assert scorer.score(QUERY, []).shape == (0,)


def test_order_and_company_do_not_matter(scorer: PassageScorer) -> None:
    passages = ["short", "a much longer text about rolling back a failed deploy " * 5, "middle of the road"]
    together = scorer.score(QUERY, passages)
    alone = [scorer.score(QUERY, [passage])[0] for passage in passages]
    assert np.allclose(together, alone, atol=1e-4)


def test_the_query_matters(scorer: PassageScorer) -> None:
    passage = "how to roll back a deploy"
    assert scorer.score(QUERY, [passage])[0] != scorer.score("tomatoes", [passage])[0]


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_text_has_a_finite_number(scorer: PassageScorer, text: str) -> None:
    assert np.isfinite(scorer.score(text, [text])).all()


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ScorerError, match="gone is not the folder of a cross-encoder"):
        load_cross_encoder(tmp_path / "gone")


def test_an_embedder_is_no_cross_encoder() -> None:
    with pytest.raises(ScorerError, match=r"its config\.json names none"):
        load_cross_encoder(find_minilm())


@pytest.mark.parametrize("config", [b"{", b"\xff", b"[]", b'{"architectures": 1}', b'{"architectures": []}'])
def test_a_config_of_anything_is_an_error(tmp_path: Path, config: bytes) -> None:
    (tmp_path / "config.json").write_bytes(config)
    with pytest.raises(ScorerError, match=r"config\.json"):
        load_cross_encoder(tmp_path)


def test_a_folder_without_weights_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"architectures": ["BertForSequenceClassification"]}))
    with pytest.raises(ScorerError, match="holds no model weights"):
        load_cross_encoder(tmp_path)


def test_weights_that_cannot_be_read_are_an_error_at_first_use(random_head: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(random_head, tmp_path / "damaged")
    (folder / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(ScorerError, match="failed on 1 passages"):
        load_cross_encoder(folder).score(QUERY, ["text"])
