"""Embedding texts for the index: each once, in batches, and none of them able to stop the others."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from retrieval.embedding.port import Embedder, EmbedderError, EmbeddingRole
from retrieval.store import EmbeddingCache, Vector

BATCH = 64
"""Texts in one call of the embedder, and the most that a killed run embeds again."""

_FAILURES_IN_A_ROW = 3
"""After so many single texts that fail one after the other it is the embedder that fails."""


@dataclass(slots=True)
class Outcome:
    """What became of texts, by embedding key: vectors, and the reason why there is none.

    `made` are the keys of the vectors that are new, `stopped` says that the embedder gave up.
    """

    vectors: dict[str, Vector] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)
    stopped: bool = False


class BatchEmbedder:
    """Makes vectors of texts and keeps them by key, batch by batch."""

    def __init__(self, embedder: Embedder, cache: EmbeddingCache) -> None:
        self._embedder = embedder
        self._cache = cache
        self._in_a_row = 0

    async def embed(self, texts: Mapping[str, str], role: EmbeddingRole, outcome: Outcome) -> None:
        """Adds the vectors of texts, given by embedding key; kept ones are not embedded again."""
        outcome.vectors.update(await self._cache.find(texts.keys()))
        missing = sorted(texts.keys() - outcome.vectors.keys(), key=lambda key: (len(texts[key]), key))
        for batch in _batches(missing):
            if not outcome.stopped:
                await self._embed_batch({key: texts[key] for key in batch}, role, outcome)

    async def _embed_batch(self, texts: Mapping[str, str], role: EmbeddingRole, outcome: Outcome) -> None:
        made: dict[str, Vector] = {}
        waiting = [list(texts)]
        while waiting and not outcome.stopped:
            keys = waiting.pop()
            try:
                made.update(await self._call([texts[key] for key in keys], role, keys))
                self._in_a_row = 0
            except EmbedderError as error:
                waiting.extend(self._divide(keys, error, outcome))
        if made:
            await self._cache.add(made)
        outcome.vectors.update(made)
        outcome.made |= made.keys()

    async def _call(
        self, texts: Sequence[str], role: EmbeddingRole, keys: Sequence[str]
    ) -> dict[str, Vector]:
        vectors = await asyncio.to_thread(self._embedder.embed, texts, role)
        return dict(zip(keys, vectors, strict=True))

    def _divide(self, keys: list[str], error: EmbedderError, outcome: Outcome) -> Iterator[list[str]]:
        """Sets the text to blame apart, or halves the batch to find it."""
        if error.position is not None or len(keys) == 1:
            blamed = keys[error.position or 0]
            outcome.failures[blamed] = str(error)
            self._in_a_row += len(keys) == 1
            outcome.stopped = self._in_a_row >= _FAILURES_IN_A_ROW
            rest = [key for key in keys if key != blamed]
            return iter([rest] if rest else [])
        middle = len(keys) // 2
        return iter([keys[middle:], keys[:middle]])


def _batches(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    return (keys[start : start + BATCH] for start in range(0, len(keys), BATCH))
