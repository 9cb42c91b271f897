"""Working stand-ins for the ports of wikitrail."""

import asyncio
import hashlib
import re
import threading
import time
from collections.abc import Mapping, Sequence

import numpy as np

from retrieval.embedding.passage_scorer import Fits, ScorerError
from retrieval.embedding.port import EmbedderError, EmbeddingRole, Vectors, VectorSpace
from retrieval.embedding.sentence_transformer import normalise_vectors
from retrieval.embedding.space import PROBES
from retrieval.llm.port import ChooserError, PageCard
from retrieval.relevance import Calibration

REMOTE = "remote"
"""The backend of an endpoint that does not tell which weights it has."""

# Cosines of up to .4 come by chance among so few dimensions, so words decide: a share of .01 is above the
# floor with any vector, and without a shared word a cosine of .6 is needed.
_CALIBRATION = Calibration(cosine=10.0, held=600.0, offset=-6.0, floor=0.5)


class FakeCounter:
    """Counts words and signs, and two special tokens."""

    def __init__(self, *, window: int = 256) -> None:
        self.name = "fake-words"
        self.window = window

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(re.findall(r"\w+|[^\w\s]", text)) + 2 for text in texts]


class FakeEmbedder:
    """A deterministic embedder: the hashes of a text's words, so that shared words make vectors alike.

    A query and a passage of the same text differ a little. What goes wrong is chosen by attributes:

    - `fail_after`: every text after this many embedded ones fails
    - `fail_on`, `nan_on`, `zero_on`: texts that hold this fail, or give such a vector
    - `raising`: every call fails
    - `hang_seconds`: a call blocks so long, or until `release`
    - `slow_seconds`: every call takes so long
    - `wrong_dimension`: vectors have one number too many

    Another model of the same dimension, or another dimension, is another `FakeEmbedder`. The vectors are
    those of `weights`, whatever the model is called; the backend `REMOTE` does not tell its weights and can
    change them unseen. A word of `synonyms` is read as the word it is mapped to, so that a text can be found
    by its vector alone. The probes of vector spaces are counted in `probed` and nowhere else.
    """

    def __init__(
        self,
        *,
        model: str = "fake",
        dimension: int = 64,
        window: int = 256,
        backend: str = "fake",
        weights: str | None = None,
        synonyms: Mapping[str, str] | None = None,
    ) -> None:
        self.weights = model if weights is None else weights
        self.space = VectorSpace(
            model=model,
            digest="" if backend == REMOTE else hashlib.sha256(self.weights.encode()).hexdigest(),
            pooling="sum",
            query_prefix="",
            passage_prefix="",
            dimension=dimension,
            backend=backend,
        )
        self.counter = FakeCounter(window=window)
        self.calibration = _CALIBRATION
        self._synonyms = synonyms or {}
        self.embedded: list[tuple[EmbeddingRole, str]] = []
        self.probed = 0
        self.requests = 0
        self._released = threading.Event()
        self.recover()

    def recover(self) -> None:
        """Lets everything go well from now on."""
        self.fail_after: int | None = None
        self.fail_on: str | None = None
        self.nan_on: str | None = None
        self.zero_on: str | None = None
        self.raising = False
        self.hang_seconds = 0.0
        self.slow_seconds = 0.0
        self.wrong_dimension = False

    def forget(self) -> None:
        """Sets the counts back to zero."""
        self.embedded.clear()
        self.probed = self.requests = 0

    def release(self) -> None:
        """Ends every hanging call."""
        self._released.set()

    def count(self, role: EmbeddingRole) -> int:
        """Returns how many texts were embedded in this role."""
        return sum(1 for seen, _ in self.embedded if seen == role)

    def embed(self, texts: Sequence[str], role: EmbeddingRole) -> Vectors:
        self.requests += 1
        self._wait()
        counted = [text for text in texts if text not in PROBES.values()]
        for position, text in enumerate(texts):
            self._fail(position, text)
        if not texts:
            return np.empty((0, self.space.dimension), dtype=np.float32)
        vectors = np.array([self._vector(text, role) for text in texts], dtype=np.float32)
        result = normalise_vectors(vectors, self.space.dimension)
        self.embedded.extend((role, text) for text in counted)
        self.probed += len(texts) - len(counted)
        return result

    def embed_with_tokens(self, texts: Sequence[str], role: EmbeddingRole) -> tuple[Vectors, list[Vectors]]:
        vectors = self.embed(texts, role)
        return vectors, [self._embed_words(text, role) for text in texts]

    def _embed_words(self, text: str, role: EmbeddingRole) -> Vectors:
        """Returns the vector of each word as if it were all the text; a text without words has one vector."""
        words = re.findall(r"\w+", text) or [""]
        vectors = np.array([self._vector(word, role) for word in words], dtype=np.float32)
        return normalise_vectors(vectors, self.space.dimension)

    def _wait(self) -> None:
        if self.hang_seconds:
            self._released.wait(self.hang_seconds)
        if self.slow_seconds:
            time.sleep(self.slow_seconds)

    def _fail(self, position: int, text: str) -> None:
        if self.raising:
            raise EmbedderError("the fake embedder is down")
        if self.fail_after is not None and len(self.embedded) + position >= self.fail_after:
            raise EmbedderError("the fake embedder has had enough", position=position)
        if self.fail_on is not None and self.fail_on in text:
            raise EmbedderError("the fake embedder refuses a text", position=position)

    def _vector(self, text: str, role: EmbeddingRole) -> list[float]:
        size = self.space.dimension + self.wrong_dimension
        if self.nan_on is not None and self.nan_on in text:
            return [float("nan")] * size
        if self.zero_on is not None and self.zero_on in text:
            return [0.0] * size
        vector = [0.0] * size
        vector[0] = 0.2 if role == "query" else 0.1
        for word in re.findall(r"\w+", text.casefold()):
            meant = self._synonyms.get(word, word)
            digest = hashlib.sha256(f"{self.weights}\0{meant}".encode("utf-8", "replace")).digest()
            vector[1 + int.from_bytes(digest[:4]) % (size - 1)] += 1.0 if digest[4] % 2 else -1.0
        return vector


class FakeChooser:
    """Chooses the pages whose title and summary share most words with the query.

    - `raising`: every choice fails
    - `hang_seconds`: a choice takes so long
    """

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[PageCard, ...], int]] = []
        self.raising = False
        self.hang_seconds = 0.0

    async def choose(self, query: str, catalogue: Sequence[PageCard], limit: int) -> tuple[str, ...]:
        self.asked.append((query, tuple(catalogue), limit))
        await asyncio.sleep(self.hang_seconds)
        if self.raising:
            raise ChooserError("the fake chooser is down")
        shared = {card.page_id: count_shared(query, f"{card.title} {card.summary}") for card in catalogue}
        ranked = sorted((page_id for page_id in shared if shared[page_id]), key=lambda name: -shared[name])
        return tuple(ranked[: max(limit, 0)])


class FakeScorer:
    """Scores a passage by the share of the query's words that stand in it.

    - `raising`: every call fails
    - `hang_seconds`: a call takes so long
    """

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.raising = False
        self.hang_seconds = 0.0

    def score(self, query: str, passages: Sequence[str]) -> Fits:
        self.asked.append((query, tuple(passages)))
        time.sleep(self.hang_seconds)
        if self.raising:
            raise ScorerError("the fake scorer is down")
        words = len(re.findall(r"\w+", query)) or 1
        return np.array([count_shared(query, passage) / words for passage in passages], dtype=np.float32)


def count_shared(query: str, text: str) -> int:
    """Counts the words of the query that stand in the text."""
    return len(set(re.findall(r"\w+", query.casefold())) & set(re.findall(r"\w+", text.casefold())))
