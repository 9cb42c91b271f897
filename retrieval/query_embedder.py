"""Embedding a query within a deadline: an embedder that fails or hangs weakens the answer and never stops it.

A breaker opens at the first failure. While it is open one query at a time tries the embedder again, without
a cool-off, and the others do not wait; the first success closes it. A call past its deadline is left behind
on a thread of its own, so that a hung embedder can be tried again.
"""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from retrieval.embedding.port import Embedder, EmbedderError, Vectors, space_id
from retrieval.store import Vector
from retrieval.warnings import Reason

QUERY_SECONDS = 2.0
"""How long a query waits for its vector."""

_CACHED_QUERIES = 1_024
# Past so many calls that hang, trying again would only add threads.
_MAX_LEFT_BEHIND = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryVector:
    """The vector of a query, or the reason why there is none."""

    vector: Vector | None = None
    reason: Reason | None = None


class QueryEmbedder:
    """Gives queries their vectors, of the space named `space`, whose scores `calibration` reads."""

    def __init__(self, embedder: Embedder, *, seconds: float = QUERY_SECONDS) -> None:
        self.space = space_id(embedder.space)
        self.calibration = embedder.calibration
        self._embedder = embedder
        self._seconds = seconds
        self._cache: OrderedDict[str, Vector] = OrderedDict()
        self._open: Reason | None = None
        self._probing = False
        self._answered = False
        self._left_behind = 0

    async def embed(self, query: str) -> QueryVector:
        """Returns the vector of a query, at the latest after the deadline; failures are never kept."""
        if query in self._cache:
            self._cache.move_to_end(query)
            return QueryVector(vector=self._cache[query])
        if self._open is not None and (self._probing or self._left_behind >= _MAX_LEFT_BEHIND):
            return QueryVector(reason=self._open)
        self._probing = self._open is not None
        try:
            vector = await self._call(query)
        except TimeoutError:
            return self._fail("embedder-timeout" if self._answered else "embedder-loading")
        except EmbedderError:
            return self._fail("embedder-unavailable")
        finally:
            self._probing = False
        self._open, self._answered = None, True
        self._remember(query, vector)
        return QueryVector(vector=vector)

    async def _call(self, query: str) -> Vector:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Vectors] = loop.create_future()

        def work() -> None:
            try:
                outcome: Callable[[], None] = _settling(done, self._embedder.embed([query], "query"))
            except EmbedderError as error:
                outcome = _failing(done, error)
            if not loop.is_closed():
                loop.call_soon_threadsafe(outcome)

        # Not a pool's thread: those are waited for at exit, and this one may hang.
        threading.Thread(target=work, name="query-embedding", daemon=True).start()
        finished, _ = await asyncio.wait([done], timeout=self._seconds)
        if not finished:
            self._left_behind += 1
            done.add_done_callback(self._come_back)
            raise TimeoutError
        vectors = done.result()
        return np.asarray(vectors[0], dtype=np.float32)

    def _come_back(self, _: "asyncio.Future[Vectors]") -> None:
        self._left_behind -= 1

    def _fail(self, reason: Reason) -> QueryVector:
        self._open = reason
        return QueryVector(reason=reason)

    def _remember(self, query: str, vector: Vector) -> None:
        self._cache[query] = vector
        if len(self._cache) > _CACHED_QUERIES:
            self._cache.popitem(last=False)


def _settling(done: "asyncio.Future[Vectors]", vectors: Vectors) -> Callable[[], None]:
    return lambda: None if done.done() else done.set_result(vectors)


def _failing(done: "asyncio.Future[Vectors]", error: EmbedderError) -> Callable[[], None]:
    return lambda: None if done.done() else done.set_exception(error)
