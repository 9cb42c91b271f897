"""The port through which each token of a text has a vector of its own."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from retrieval.embedding.port import Embedder, EmbeddingRole, Vectors


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that shows what its vectors are made of; endpoints that give one vector a text do not."""

    def embed_with_tokens(self, texts: Sequence[str], role: EmbeddingRole) -> tuple[Vectors, list[Vectors]]:
        """Returns what `embed` does, and for each text the vectors of its tokens, each of length 1.

        Their dimension is that of the network, which may not be that of the space.

        Raises:
            EmbedderError: The model failed, or a vector is not finite or zero.
        """
