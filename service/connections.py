"""Connections that come to an end: none may take forever to send a request or to take an answer."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from service.http.refusals import refuse


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """Most connections at once, and the seconds that a request, or an answer, may take on its way."""

    connections: int
    receive_seconds: float
    send_seconds: float


class _Timer:
    """Acts `seconds` after it was started, unless it is stopped before."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float, act: Callable[[], None]) -> None:
        self._loop = loop
        self._seconds = seconds
        self._act = act
        self._handle: asyncio.TimerHandle | None = None

    @property
    def due(self) -> float | None:
        """When it acts, in the time of the loop; None while it is stopped."""
        return self._handle.when() if self._handle else None

    def start(self) -> None:
        """Starts; a timer that runs goes on running."""
        if self._handle is None:
            self._handle = self._loop.call_later(self._seconds, self._act)

    def stop(self) -> None:
        """Stops, whether it runs or not."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 on one connection, within the limits of `limits`, which a subclass sets.

    The server's own timer runs only between an answer and the first byte of the next request. Here a request
    has to be there as a whole `receive_seconds` after the connection was made, or the answer before was sent;
    else the answer is 408. An answer that the client does not take in time is cut off. Where there are too
    many connections, the one that has been waited for the longest is closed: requests that are being answered
    are not.
    """

    limits: ConnectionLimits

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its base
        """Begins to wait for a request."""
        super().connection_made(transport)
        self._receiving = _Timer(self.loop, self.limits.receive_seconds, self._end_receiving)
        self._sending = _Timer(self.loop, self.limits.send_seconds, transport.abort)
        self._watch_receiving()
        if len(self.connections) > self.limits.connections:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops all timers."""
        self._receiving.stop()
        self._sending.stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Takes a part of a request."""
        super().data_received(data)
        self._watch_receiving()

    def on_response_complete(self) -> None:
        """Begins to wait for the next request."""
        super().on_response_complete()
        self._watch_receiving()
        if self.transport.is_closing():
            self._sending.start()

    def pause_writing(self) -> None:
        """Begins to wait for the client to take what was sent so far."""
        super().pause_writing()
        self._sending.start()

    def resume_writing(self) -> None:
        """Ends that wait."""
        super().resume_writing()
        self._sending.stop()

    def timeout_keep_alive_handler(self) -> None:
        """Closes an idle connection, which waits for the client to take what was sent."""
        super().timeout_keep_alive_handler()
        self._sending.start()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  (the signature of the base)
        """Answers what is not HTTP."""
        self._refuse("malformed-request")

    def _watch_receiving(self) -> None:
        """Keeps the timer of receiving running exactly as long as a request is incomplete."""
        if self.transport.is_closing() or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._receiving.stop()
        else:
            self._receiving.start()

    def _end_receiving(self) -> None:
        has_begun = self.conn.their_state is h11.SEND_BODY or bool(self.conn.trailing_data[0])
        if has_begun:
            self._refuse("request-timeout")
        else:
            self.transport.abort()

    def _refuse(self, code: str) -> None:
        """Answers with an error and closes; where an answer is on its way already, it only closes."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()
            return
        answer = refuse(code, headers={"Connection": "close"})
        response = h11.Response(status_code=answer.status_code, headers=answer.raw_headers)
        for event in (response, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
        self._sending.start()

    def _make_room(self) -> None:
        """Closes the connection that has been waited for the longest, which may be this one."""
        open_ones = [
            other
            for other in self.connections
            if isinstance(other, BoundedProtocol) and not other.transport.is_closing()
        ]
        waiting = [(other._receiving.due, other.transport) for other in open_ones if other._receiving.due]
        if waiting:
            _, oldest = min(waiting, key=itemgetter(0))
            oldest.abort()
