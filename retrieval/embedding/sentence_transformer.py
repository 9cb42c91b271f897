"""An embedder over any sentence-transformers model folder, with torch on the processor."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chunking.options import TokenCounter
from retrieval.embedding.folder import read_counter, read_space
from retrieval.embedding.port import EmbedderError, EmbeddingRole, Vectors, VectorSpace
from retrieval.embedding.tokens import replace_surrogates
from retrieval.embedding.weights import calibrate_weights
from retrieval.relevance import Calibration

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

BATCH_SIZE = 32
"""Texts that go through the network together; the library sorts by length first, so little is padding."""

# Read when the libraries are imported: they may open the folder and nothing else, and leave stderr alone.
_OFFLINE_AND_QUIET = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
}


class SentenceTransformerEmbedder:
    """An `Embedder` whose model is loaded at the first text: importing torch takes seconds."""

    def __init__(self, folder: Path, *, space: VectorSpace, counter: TokenCounter) -> None:
        self._folder = folder
        self._space = space
        self._counter = counter
        self._model: SentenceTransformer | None = None
        # A fast tokenizer cannot be used by two threads at once.
        self._encoding = threading.Lock()

    @property
    def space(self) -> VectorSpace:
        """The space of every vector this embedder gives."""
        return self._space

    @property
    def counter(self) -> TokenCounter:
        """Counts tokens as this embedder does."""
        return self._counter

    @property
    def calibration(self) -> Calibration:
        """What was fitted to these weights."""
        return calibrate_weights(self._space.digest)

    def embed(self, texts: Sequence[str], role: EmbeddingRole) -> Vectors:
        """Returns one vector of length 1 for each text, in order.

        Raises:
            EmbedderError: The model failed, or a vector is not finite or zero.
        """
        if not texts:
            return np.empty((0, self._space.dimension), dtype=np.float32)
        prefix = self._space.query_prefix if role == "query" else self._space.passage_prefix
        try:
            vectors = self._encode([replace_surrogates(text) for text in texts], prefix)
        except Exception as error:  # the libraries below share no root of their errors
            raise EmbedderError(f"the embedding model failed on {len(texts)} texts") from error
        return normalise_vectors(vectors, self._space.dimension)

    def _encode(self, texts: list[str], prefix: str) -> Vectors:
        with self._encoding:
            self._model = self._model or _load_model(self._folder)
            # An explicit prompt, empty or not, keeps the library from adding the model's default one.
            vectors: Vectors = self._model.encode(
                texts, prompt=prefix, batch_size=BATCH_SIZE, show_progress_bar=False, convert_to_numpy=True
            )
            return vectors


def load_sentence_transformer(folder: Path, *, name: str | None = None) -> SentenceTransformerEmbedder:
    """Returns an embedder over the model in `folder`; `name` (default: the folder's) is part of its space.

    Raises:
        EmbedderError: The folder holds no model, or its files cannot be read.
    """
    return SentenceTransformerEmbedder(
        folder, space=read_space(folder, name=name), counter=read_counter(folder)
    )


def normalise_vectors(vectors: Vectors, dimension: int) -> Vectors:
    """Returns `vectors` scaled to length 1.

    Raises:
        EmbedderError: The dimension is another one, or a row is not finite or zero; names the first such row.
    """
    if vectors.ndim != 2 or vectors.shape[1] != dimension:
        raise EmbedderError(f"the embedding model gave shape {vectors.shape}, not {dimension} numbers a text")
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    usable = np.isfinite(lengths[:, 0]) & (lengths[:, 0] > 0)
    if not usable.all():
        position = int(np.argmin(usable))
        raise EmbedderError(f"the vector of text {position} is zero or not finite", position=position)
    scaled: Vectors = (vectors / lengths).astype(np.float32)
    return scaled


def _load_model(folder: Path) -> "SentenceTransformer":
    os.environ.update(_OFFLINE_AND_QUIET)
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu", local_files_only=True)
