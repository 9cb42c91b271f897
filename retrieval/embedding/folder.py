"""Reads what a sentence-transformers model folder says about itself, without loading the model."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from retrieval.embedding.port import EmbedderError, VectorSpace
from retrieval.embedding.tokens import TokenizerCounter

_FALLBACK_WINDOW = 512


def read_space(folder: Path, *, name: str | None = None) -> VectorSpace:
    """Returns the space of the model in `folder`; `name` defaults to the folder's own.

    Raises:
        EmbedderError: The folder holds no model, or its files cannot be read.
    """
    if not (folder / "config.json").is_file():
        raise EmbedderError(f"{folder.name} is not the folder of a sentence-transformers model")
    pooling, dimension = _read_modules(folder)
    query_prefix, passage_prefix = _read_prefixes(folder)
    return VectorSpace(
        model=name or folder.name,
        digest=digest_weights(folder),
        pooling=pooling,
        query_prefix=query_prefix,
        passage_prefix=passage_prefix,
        dimension=dimension,
        backend="torch",
    )


def read_counter(folder: Path) -> TokenizerCounter:
    """Returns the token counter of the model in `folder`.

    Raises:
        EmbedderError: The folder holds no `tokenizer.json`, or one that cannot be read.
    """
    _, passage_prefix = _read_prefixes(folder)
    return TokenizerCounter(folder / "tokenizer.json", window=_read_window(folder), prefix=passage_prefix)


def digest_weights(folder: Path) -> str:
    """Returns the SHA-256 of the weights: of the file itself, or of the digests of several.

    Raises:
        EmbedderError: There are no weights, or they cannot be read.
    """
    files = sorted(folder.rglob("*.safetensors")) or sorted(folder.rglob("pytorch_model*.bin"))
    try:
        digests = [digest_file(file) for file in files]
    except OSError as error:
        raise EmbedderError(f"the weights of {folder.name} cannot be read") from error
    if not digests:
        raise EmbedderError(f"{folder.name} holds no model weights")
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


def digest_file(file: Path) -> str:
    """Returns the SHA-256 of a file.

    Raises:
        OSError: It cannot be read.
    """
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _read_modules(folder: Path) -> tuple[str, int]:
    """Returns the name of the pooling and the dimension that the last module gives."""
    pooling, dimension = "mean", int(_read_json(folder / "config.json").get("hidden_size", 0))
    steps = []
    for module in _read_json_list(folder / "modules.json"):
        kind = str(module.get("type", "")).rpartition(".")[2]
        config = _read_json(folder / str(module.get("path", "")) / "config.json")
        if kind == "Pooling":
            pooling = _name_pooling(config)
        elif kind == "Dense":
            dimension = int(config.get("out_features", dimension))
            steps.append("dense")
    return "+".join([pooling, *steps]), dimension


def _name_pooling(config: Mapping[str, Any]) -> str:
    if "pooling_mode" in config:
        return str(config["pooling_mode"])
    modes = [
        key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
        for key, chosen in config.items()
        if key.startswith("pooling_mode_") and chosen
    ]
    return "+".join(modes)


def _read_prefixes(folder: Path) -> tuple[str, str]:
    """Returns what the model wants before queries and before passages."""
    prompts = _read_json(folder / "config_sentence_transformers.json").get("prompts", {})
    return str(prompts.get("query", "")), str(prompts.get("document", prompts.get("passage", "")))


def _read_window(folder: Path) -> int:
    """Returns the tokens the model reads: its own setting, else what network and tokenizer both take."""
    chosen = _read_json(folder / "sentence_bert_config.json").get("max_seq_length")
    limits = (
        _read_json(folder / "config.json").get("max_position_embeddings", _FALLBACK_WINDOW),
        _read_json(folder / "tokenizer_config.json").get("model_max_length", _FALLBACK_WINDOW),
    )
    return int(chosen or min(limits))


def _read_json(file: Path) -> Mapping[str, Any]:
    content = _load(file)
    return content if isinstance(content, dict) else {}


def _read_json_list(file: Path) -> list[Mapping[str, Any]]:
    content = _load(file)
    return [entry for entry in content if isinstance(entry, dict)] if isinstance(content, list) else []


def _load(file: Path) -> object:
    """Returns the JSON of `file`, None where there is no such file: every file but one is optional."""
    try:
        content: object = json.loads(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise EmbedderError(f"{file.name} of the embedding model cannot be read") from error
    return content
