"""Embedding texts for the index: each once, in batches, and none of them able to stop the others."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from indexer.making import Maker
from indexer.space import SpaceGuard
from retrieval.embedding.port import EmbedderError, EmbeddingRole

BATCH = 64
"""Texts in one call of the embedder, and the most that a killed run embeds again."""

_FAILURES_IN_A_ROW = 3
"""After so many texts that fail one after the other the probes tell whether it is the embedder."""

_Made = TypeVar("_Made")


@dataclass(slots=True)
class Outcome(Generic[_Made]):
    """What became of texts, by embedding key: what was made of them, and the reason why nothing was.

    `made` are the keys of what is new. A text with neither vectors nor failure was not tried.
    """

    vectors: dict[str, _Made] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    made: set[str] = field(default_factory=set)


class BatchEmbedder(Generic[_Made]):
    """Makes vectors of texts and keeps them by key, batch by batch.

    `gave_up` is why the embedder is not asked any more; vectors that are kept are still found.
    """

    def __init__(self, maker: Maker[_Made], guard: SpaceGuard) -> None:
        self.gave_up: str | None = None
        self._maker = maker
        self._guard = guard
        self._suspects: list[str] = []

    async def embed(self, texts: Mapping[str, str], role: EmbeddingRole, outcome: Outcome[_Made]) -> None:
        """Adds the vectors of texts, given by embedding key; kept ones are not embedded again.

        Raises:
            SpaceChanged: The embedder is of another space than the cache.
        """
        outcome.vectors.update(await self._maker.find(texts.keys()))
        missing = sorted(texts.keys() - outcome.vectors.keys(), key=lambda key: (len(texts[key]), key))
        for start in range(0, len(missing), BATCH):
            await self._prove()
            if self.gave_up is None:
                batch = missing[start : start + BATCH]
                await self._embed_batch({key: texts[key] for key in batch}, role, outcome)

    async def _embed_batch(
        self, texts: Mapping[str, str], role: EmbeddingRole, outcome: Outcome[_Made]
    ) -> None:
        made: dict[str, _Made] = {}
        waiting = [list(texts)]
        while waiting and self.gave_up is None:
            keys = waiting.pop()
            try:
                made.update(await self._call([texts[key] for key in keys], role, keys))
                self._suspects.clear()
            except EmbedderError as error:
                waiting.extend(self._divide(keys, error, outcome))
                await self._doubt(outcome)
        if made:
            await self._maker.keep(made)
        outcome.vectors.update(made)
        outcome.made |= made.keys()

    async def _call(self, texts: Sequence[str], role: EmbeddingRole, keys: Sequence[str]) -> dict[str, _Made]:
        vectors = await asyncio.to_thread(self._maker.make, texts, role)
        return dict(zip(keys, vectors, strict=True))

    def _divide(self, keys: list[str], error: EmbedderError, outcome: Outcome[_Made]) -> list[list[str]]:
        """Sets the text to blame apart, or halves the batch to find it."""
        if error.position is not None or len(keys) == 1:
            blamed = keys[error.position or 0]
            outcome.failures[blamed] = str(error)
            self._suspects.append(blamed)
            rest = [key for key in keys if key != blamed]
            return [rest] if rest else []
        middle = len(keys) // 2
        return [keys[middle:], keys[:middle]]

    async def _doubt(self, outcome: Outcome[_Made]) -> None:
        """Gives up if it is the embedder that fails: then no text is to blame."""
        if len(self._suspects) < _FAILURES_IN_A_ROW:
            return
        await self._prove(again=True)
        if self.gave_up is not None:
            for key in self._suspects:
                outcome.failures.pop(key, None)
        self._suspects.clear()

    async def _prove(self, *, again: bool = False) -> None:
        if self.gave_up is None:
            try:
                await self._guard.prove(again=again)
            except EmbedderError as error:
                self.gave_up = str(error)
