"""The port through which text becomes vectors, and the names of what may be compared with what."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt

from chunking.errors import WikitrailError
from chunking.options import TokenCounter
from retrieval.relevance import Calibration

EmbeddingRole = Literal["query", "chunk", "page"]
"""What a text is embedded as; models trained with prefixes treat a query and a passage differently."""

Vectors = npt.NDArray[np.float32]
"""Shape (texts, dimension), each row of length 1."""

_KEY_LENGTH = 32  # hexadecimal digits: 128 bits


class EmbedderError(WikitrailError):
    """The model cannot be loaded, failed, or gave vectors that cannot be used.

    `position` is the index of the text that is to blame, None where that is not known: a caller then
    halves its batch until it is.
    """

    code: ClassVar[str] = "embedder-failed"

    def __init__(self, message: str, *, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSpace:
    """What an embedder says of its vectors; what it proves by probes is in `retrieval.embedding.space`.

    `digest` is the SHA-256 of the weights; it and `pooling` are "" where an endpoint does not tell them.
    `backend` (torch, onnx, remote) decides nothing: probe texts tell whether two backends agree.
    """

    model: str
    digest: str
    pooling: str
    query_prefix: str
    passage_prefix: str
    dimension: int
    backend: str


class Embedder(Protocol):
    """Turns texts into vectors of one space."""

    @property
    def space(self) -> VectorSpace:
        """The space of every vector this embedder gives; known without loading the model."""

    @property
    def counter(self) -> TokenCounter:
        """Counts tokens as this embedder does."""

    @property
    def calibration(self) -> Calibration:
        """What the cosines of this embedder are worth as P(relevant)."""

    def embed(self, texts: Sequence[str], role: EmbeddingRole) -> Vectors:
        """Returns one vector of length 1 for each text, in order.

        Raises:
            EmbedderError: The model failed, or a vector is not finite or zero.
        """


def space_id(space: VectorSpace) -> str:
    """Returns the name of what an embedder says of its vectors; the backend is left out."""
    identity = [
        space.model,
        space.digest,
        space.pooling,
        space.query_prefix,
        space.passage_prefix,
        space.dimension,
    ]
    return _digest(json.dumps(identity))


def embedding_key(space: str, role: EmbeddingRole, text: str) -> str:
    """Returns the key under which the vector of `text` in this role is kept.

    `space` is the id of a `StoredSpace`. No path or position is part of it: text that is moved or copied
    keeps its vector.
    """
    return _digest(f"{space}\0{role}\0{text}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_LENGTH]
