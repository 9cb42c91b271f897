"""What is noticed of each request: its id, its place in the metrics, its record in the log."""

import asyncio
import logging
import time
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.routing import iter_route_contexts
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from retrieval.pack import EvidencePack
from retrieval.warnings import Level
from service.http.refusals import refuse
from service.observability.metrics import Metrics
from service.observability.request_id import HEADER, begin_request

NO_ROUTE = "none"
"""The route of requests that none answers, or that are refused before one is looked for."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_access = logging.getLogger("service.access")


class Observation:
    """What becomes of one request."""

    def __init__(self, metrics: Metrics) -> None:
        self.status: int | None = None
        self.sent = 0
        self.wiki: str | None = None
        self.level: Level | None = None
        self._metrics = metrics

    def note_answer(self, pack: EvidencePack) -> None:
        """Notes that a query was answered."""
        self.wiki, self.level = pack.wiki, pack.retrieval.level
        self._metrics.queries.count(pack)

    def note_message(self, message: Message) -> None:
        """Notes a part of the response."""
        self.status = message.get("status", self.status)
        self.sent += len(message.get("body", b""))


class Observer:
    """The outermost ASGI layer: what it wraps answers nothing that it does not see.

    Neither the address, which names pages, nor anything of the query or the body gets into the log.
    """

    def __init__(self, app: ASGIApp, *, metrics: Metrics, routes: Mapping[Any, str]) -> None:
        self._app = app
        self._metrics = metrics
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Gives a request its id, and notes how it ends."""
        if scope["type"] == "http":
            await self._observe(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _observe(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The id stays when this is over: the server, which calls in a task of its own, may have a last word.
        request_id = begin_request(Headers(scope=scope).get(HEADER))
        observation = Observation(self._metrics)
        scope.setdefault("state", {})["observation"] = observation

        async def send_observed(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = request_id
            observation.note_message(message)
            await send(message)

        begun = time.perf_counter()
        try:
            with self._metrics.requests.in_flight.track_inprogress():
                await self._app(scope, receive, send_observed)
        except asyncio.CancelledError:
            # The server does so when it ends, and forgets the request; the client may still hear of it.
            if observation.status is not None:
                raise
            await refuse("shutting-down", headers={"Retry-After": "5"})(scope, receive, send_observed)
        finally:
            self._finish(scope, observation, time.perf_counter() - begun)

    def _finish(self, scope: Scope, observation: Observation, seconds: float) -> None:
        route = self._routes.get(scope.get("endpoint"), NO_ROUTE)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.requests.count(route=route, method=method, status=observation.status, seconds=seconds)
        fields = {
            "method": method,
            "route": route,
            "status": observation.status,
            "ms": round(seconds * 1000, 1),
            "bytes": observation.sent,
            "client": scope["client"][0] if scope.get("client") else None,
            "wiki": observation.wiki,
            "answered_at": observation.level,
        }
        _access.info("request", extra={"fields": fields})


def observe(app: FastAPI, metrics: Metrics) -> None:
    """Puts the observer around all that `app` consists of; nothing can be added to it any more."""
    routes = {
        route.endpoint: route.path_format for route in iter_route_contexts(app.routes) if route.path_format
    }
    app.middleware_stack = Observer(app.build_middleware_stack(), metrics=metrics, routes=routes)


def get_observation(request: Request) -> Observation:
    """Returns what is noted of this request."""
    observation: Observation = request.state.observation
    return observation


Observed = Annotated[Observation, Depends(get_observation)]
