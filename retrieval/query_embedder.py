"""Embedding a query within a deadline: an embedder that fails or hangs weakens the answer and never stops it.

A breaker opens at the first failure. While it is open one query at a time tries the embedder again, without
a cool-off, and the others do not wait; the first success closes it, also one that comes too late for its own
query. To an endpoint goes a probe text with each query, so that a change of its model is noticed at once.
"""

import asyncio
import logging
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from retrieval.daemons import DaemonThreads
from retrieval.embedding.port import Embedder, EmbedderError, Vectors
from retrieval.embedding.space import PROBES, StoredSpace, are_alike, embed_probes
from retrieval.store import Vector
from retrieval.warnings import Reason

QUERY_SECONDS = 2.0
"""How long a query waits for its vector."""

EmbedderState = Literal["loading", "ready"] | Reason
"""`loading` until the model first answers; a reason while the breaker is open."""

_CACHED_QUERIES = 1_024
# A model works through texts one after the other anyway; past so many calls that hang, more are of no use.
_THREADS = 8

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryVector:
    """The vector of a query, or the reason why there is none."""

    vector: Vector | None = None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class _Model:
    """What answers at present: its vectors of the probes, and those of queries, the latest used last."""

    probes: Vectors
    cache: OrderedDict[str, Vector] = field(default_factory=OrderedDict)


class _Call:
    """A query that waits in an event loop for what a thread makes of it."""

    def __init__(self, query: str) -> None:
        self.query = query
        self.has_answer = False
        self.is_over = False
        self._loop = asyncio.get_running_loop()
        self._done = asyncio.Event()

    async def wait(self, seconds: float | None) -> bool:
        """Returns whether the thread was done in time; nobody waits afterwards."""
        try:
            async with asyncio.timeout(seconds):
                await self._done.wait()
        except TimeoutError:
            return False
        finally:
            self.is_over = True
        return True

    def finish(self) -> None:
        """Wakes whoever waits; called by the thread."""
        with suppress(RuntimeError):  # the loop was closed in the meantime
            self._loop.call_soon_threadsafe(self._done.set)


class QueryEmbedder:
    """Gives queries their vectors, in any event loop; `calibration` says what their cosines are worth."""

    def __init__(self, embedder: Embedder, *, seconds: float = QUERY_SECONDS) -> None:
        self.calibration = embedder.calibration
        self._embedder = embedder
        # Weights that are known are in this process; behind an endpoint they may change while it runs.
        self._witnesses = [] if embedder.space.digest else [PROBES["query"]]
        self._seconds = seconds
        self._threads = DaemonThreads("query-embedding", most=_THREADS)
        # Guards what follows, which threads change too.
        self._lock = threading.Lock()
        self._model: _Model | None = None
        self._open: Reason | None = None
        self._trying = False

    @property
    def state(self) -> EmbedderState:
        """Whether queries get vectors at present."""
        return self._open or ("ready" if self._model else "loading")

    def can_search(self, space: StoredSpace) -> bool:
        """Says whether a query would be compared with vectors of `space`, as far as is known without asking.

        A model that is still loading counts as one that answers.
        """
        declared, model = self._embedder.space, self._model
        fits = space.may_hold(declared) if model is None else space.holds(declared, model.probes)
        return fits and self.state in ("ready", "loading")

    async def embed(self, query: str, space: StoredSpace, *, seconds: float | None = None) -> QueryVector:
        """Returns the vector of a query if it is of `space`; failures are never kept.

        Waits for the embedder's own deadline, or for `seconds` where they are fewer: a request that has no
        time left says nothing about the embedder, so it opens no breaker.
        """
        if not space.may_hold(self._embedder.space):
            return QueryVector(reason="space-mismatch")
        found = self._recall(query, space)
        if found is None:
            reason = await self._ask(query, seconds)
            found = self._recall(query, space) if reason is None else None
            if found is None:
                return QueryVector(reason=reason or "space-mismatch")
        return QueryVector(vector=found)

    async def warm(self) -> None:
        """Loads the model and returns when it has answered, however long that takes; failures are logged."""
        call = _Call(PROBES["query"])
        self._threads.submit(lambda: self._work(call))
        await call.wait(None)

    def _recall(self, query: str, space: StoredSpace) -> Vector | None:
        """Returns a vector that is known, unless the model that made it is not of the space."""
        with self._lock:
            model = self._model
            if model is None or query not in model.cache:
                return None
            model.cache.move_to_end(query)
            vector = model.cache[query]
        return vector if space.holds(self._embedder.space, model.probes) else None

    async def _ask(self, query: str, seconds: float | None) -> Reason | None:
        """Has the query embedded; returns the reason where that failed or took too long."""
        with self._lock:
            trying = self._open is not None
            if trying and (self._trying or self._threads.are_busy):
                return self._open
            self._trying |= trying
        call = _Call(query)
        try:
            self._threads.submit(lambda: self._work(call))
            in_time = await call.wait(self._seconds if seconds is None else min(seconds, self._seconds))
        finally:
            if trying:
                self._trying = False
        if in_time:
            return None if call.has_answer else "embedder-unavailable"
        return self._time_out(final=seconds is None or seconds >= self._seconds)

    def _time_out(self, *, final: bool) -> Reason:
        reason: Reason = "embedder-timeout" if self._model else "embedder-loading"
        if final:
            self._open_breaker(reason)
        return reason

    def _work(self, call: _Call) -> None:
        """Embeds a query, in a thread; whoever waited for it may be gone when it ends."""
        if call.is_over:
            return
        try:
            self._learn(call.query)
            call.has_answer = True
        except Exception as error:  # an embedder that breaks its promise must not leave the query waiting
            _log.log(
                logging.DEBUG if self._open else logging.WARNING,
                "a query could not be embedded: %s",
                error,
                exc_info=not isinstance(error, EmbedderError),
            )
            if not call.is_over:
                self._open_breaker("embedder-unavailable")
        finally:
            call.finish()

    def _learn(self, query: str) -> None:
        """Keeps the vector of a query, and the probes where another model answers than before."""
        made = self._embedder.embed([query, *self._witnesses], "query")
        vector, witness = np.asarray(made[0], dtype=np.float32), made[1:]
        model = self._known_model(witness) or _Model(embed_probes(self._embedder))
        with self._lock:
            model = self._known_model(witness) or model
            self._model, self._open = model, None
            model.cache[query] = vector
            if len(model.cache) > _CACHED_QUERIES:
                model.cache.popitem(last=False)

    def _known_model(self, witness: Vectors) -> _Model | None:
        """Returns the model so far, unless it is another one that made this vector of the first probe."""
        model = self._model
        if model is None or not are_alike(model.probes[: len(self._witnesses)], witness):
            return None
        return model

    def _open_breaker(self, reason: Reason) -> None:
        with self._lock:
            opening, self._open = self._open is None, reason
        if opening:
            _log.warning("queries go without vectors until the embedding model answers: %s", reason)
