"""An embedder over any sentence-transformers model folder, with torch on the processor."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from chunking.options import TokenCounter
from retrieval.embedding.folder import read_counter, read_space
from retrieval.embedding.libraries import prepare_libraries
from retrieval.embedding.port import EmbedderError, EmbeddingRole, Vectors, VectorSpace
from retrieval.embedding.tokens import replace_surrogates
from retrieval.embedding.weights import calibrate_weights
from retrieval.relevance import Calibration

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

BATCH_SIZE = 32
"""Texts that go through the network together; the library sorts by length first, so little is padding."""


class SentenceTransformerEmbedder:
    """A `TokenEmbedder` whose model is loaded at the first text: importing torch takes seconds."""

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
        return normalise_vectors(
            np.asarray(self._run(texts, role, "sentence_embedding")), self._space.dimension
        )

    def embed_with_tokens(self, texts: Sequence[str], role: EmbeddingRole) -> tuple[Vectors, list[Vectors]]:
        """Returns what `embed` does, and for each text the vectors of its tokens, special ones included.

        Raises:
            EmbedderError: The model failed, or a vector is not finite or zero.
        """
        if not texts:
            return np.empty((0, self._space.dimension), dtype=np.float32), []
        outputs = self._run(texts, role, None)
        vectors = np.stack([output["sentence_embedding"].float().numpy() for output in outputs])
        tokens = [
            output["token_embeddings"][output["attention_mask"].bool()].float().numpy() for output in outputs
        ]
        return (
            normalise_vectors(vectors, self._space.dimension),
            [_normalise_tokens(each, position) for position, each in enumerate(tokens)],
        )

    def _run(
        self, texts: Sequence[str], role: EmbeddingRole, output: Literal["sentence_embedding"] | None
    ) -> Any:
        """Returns one vector for each text, or all that the network gives."""
        prefix = self._space.query_prefix if role == "query" else self._space.passage_prefix
        try:
            return self._encode([replace_surrogates(text) for text in texts], prefix, output)
        except Exception as error:  # the libraries below share no root of their errors
            raise EmbedderError(f"the embedding model failed on {len(texts)} texts") from error

    def _encode(self, texts: list[str], prefix: str, output: Literal["sentence_embedding"] | None) -> Any:
        with self._encoding:
            self._model = self._model or _load_model(self._folder)
            # An explicit prompt, empty or not, keeps the library from adding the model's default one.
            return self._model.encode(
                texts, prompt=prefix, batch_size=BATCH_SIZE, show_progress_bar=False, output_value=output
            )


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


def _normalise_tokens(tokens: Vectors, position: int) -> Vectors:
    """Scales the tokens of a text to length 1; one that is zero stays so."""
    lengths = np.linalg.norm(tokens.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise EmbedderError(f"a token of text {position} has a vector that is not finite", position=position)
    scaled: Vectors = (tokens / np.maximum(lengths, np.finfo(np.float32).tiny)).astype(np.float32)
    return scaled


def _load_model(folder: Path) -> "SentenceTransformer":
    prepare_libraries()
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu", local_files_only=True)
