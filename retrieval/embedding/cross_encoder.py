"""A passage scorer over any folder of a cross-encoder, with torch on the processor."""

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrieval.embedding.libraries import prepare_libraries
from retrieval.embedding.passage_scorer import Fits, ScorerError
from retrieval.embedding.tokens import replace_surrogates

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

# A network without a head for scores is loaded all the same, with a head of random numbers.
_WITH_HEAD = ("ForSequenceClassification", "ForCausalLM")


class CrossEncoderScorer:
    """A `PassageScorer` whose model is loaded at the first query: importing torch takes seconds."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._model: CrossEncoder | None = None
        # A fast tokenizer cannot be used by two threads at once.
        self._scoring = threading.Lock()

    def score(self, query: str, passages: Sequence[str]) -> Fits:
        """Returns a finite number for each passage, in order.

        Raises:
            ScorerError: The model cannot be loaded, failed, or gives more than one number a passage.
        """
        if not passages:
            return np.empty(0, dtype=np.float32)
        pairs = [(replace_surrogates(query), replace_surrogates(passage)) for passage in passages]
        try:
            fits = self._predict(pairs)
        except Exception as error:  # the libraries below share no root of their errors
            raise ScorerError(f"the cross-encoder failed on {len(pairs)} passages") from error
        if fits.shape != (len(pairs),) or not np.isfinite(fits).all():
            raise ScorerError(f"the cross-encoder gave shape {fits.shape} or numbers that are not finite")
        return fits

    def _predict(self, pairs: list[tuple[str, str]]) -> Fits:
        with self._scoring:
            self._model = self._model or _load_model(self._folder)
            from torch.nn import Identity

            # A logistic function would press good passages together just below 1.
            fits = self._model.predict(pairs, activation_fn=Identity(), show_progress_bar=False)
            return np.asarray(fits, dtype=np.float32)


def load_cross_encoder(folder: Path) -> CrossEncoderScorer:
    """Returns a scorer over the model in `folder`; nothing of it is loaded yet.

    Raises:
        ScorerError: The folder holds no model.
    """
    if not any(name.endswith(_WITH_HEAD) for name in _read_architectures(folder)):
        raise ScorerError(f"{folder.name} is not the folder of a cross-encoder; its config.json names none")
    if not any([*folder.rglob("*.safetensors"), *folder.rglob("pytorch_model*.bin")]):
        raise ScorerError(f"{folder.name} holds no model weights")
    return CrossEncoderScorer(folder)


def _read_architectures(folder: Path) -> list[str]:
    try:
        config = json.loads((folder / "config.json").read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise ScorerError(f"config.json of the cross-encoder {folder.name} cannot be read") from error
    names = config.get("architectures") if isinstance(config, dict) else None
    return [str(name) for name in names] if isinstance(names, list) else []


def _load_model(folder: Path) -> "CrossEncoder":
    prepare_libraries()
    from sentence_transformers import CrossEncoder

    model: CrossEncoder = CrossEncoder(str(folder), device="cpu", local_files_only=True)
    return model
