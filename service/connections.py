"""Connections that come to an end: none may take forever to send a request or to take an answer."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from service.http.refusals import refuse

# We have not begun to answer, and the body is not there as a whole.
_BODY_COMES = {h11.CLIENT: h11.SEND_BODY, h11.SERVER: h11.SEND_RESPONSE}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """Most connections at once, and the seconds that a request, or an answer, may take on its way.

    `request_bytes` bounds a request as it is sent, `unsent_bytes` what all clients have not taken yet.
    """

    connections: int
    request_bytes: int
    unsent_bytes: int
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
    else the answer is 408. An answer that the client does not take in time is cut off, and until it is taken
    no other request of the connection begins, which would hold a place of those that are worked on. Where
    there are too many connections, the one that has been waited for the longest is closed: requests that are
    being answered are not. Where too much waits to be taken, the answers that do so the longest are cut off.
    """

    limits: ConnectionLimits

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its base
        """Begins to wait for a request."""
        super().connection_made(transport)
        self._receiving = _Timer(self.loop, self.limits.receive_seconds, self._end_receiving)
        self._sending = _Timer(self.loop, self.limits.send_seconds, transport.abort)
        self._received = 0
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
        self._received += len(data)
        super().data_received(data)
        # A body in chunks of a byte is six times as long, and a chunk may have any amount of notes on it.
        if self.conn.states == _BODY_COMES and self._received > self.limits.request_bytes:
            self._refuse("body-too-large")
        self._watch_receiving()

    def handle_events(self) -> None:
        """Goes on with what was received, unless the client has not taken the answer before."""
        if self.flow.write_paused:
            self.flow.pause_reading()
        else:
            super().handle_events()

    def on_response_complete(self) -> None:
        """Begins to wait for the next request."""
        self._received = len(self.conn.trailing_data[0])
        super().on_response_complete()
        self._watch_receiving()
        if self.transport.is_closing():
            self._sending.start()

    def pause_writing(self) -> None:
        """Begins to wait for the client to take what was sent so far."""
        super().pause_writing()
        self._sending.start()
        self._drop_unsent()

    def resume_writing(self) -> None:
        """Ends that wait."""
        super().resume_writing()
        self._sending.stop()
        if not self.transport.is_closing():
            self.flow.resume_reading()
            self.handle_events()
            self._watch_receiving()

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

    def _list_all(self) -> list["BoundedProtocol"]:
        return [other for other in self.connections if isinstance(other, BoundedProtocol)]

    def _drop_unsent(self) -> None:
        """Cuts off answers of other connections, those first that have waited the longest to be taken."""
        sending = [(other._sending.due, other.transport) for other in self._list_all() if other._sending.due]
        unsent = sum(transport.get_write_buffer_size() for _, transport in sending)
        for _, transport in sorted(sending, key=itemgetter(0)):
            if unsent <= self.limits.unsent_bytes:
                break
            if transport is not self.transport:
                unsent -= transport.get_write_buffer_size()
                transport.abort()

    def _make_room(self) -> None:
        """Closes the connection that has been waited for the longest, which may be this one."""
        open_ones = [other for other in self._list_all() if not other.transport.is_closing()]
        waiting = [(other._receiving.due, other.transport) for other in open_ones if other._receiving.due]
        if waiting:
            _, oldest = min(waiting, key=itemgetter(0))
            oldest.abort()
