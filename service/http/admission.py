"""How many requests are worked on at once, how many wait, and what becomes of the rest.

Past the bounds a request is refused at once or after a short wait, so that those that are answered are
answered in good time: 429 where its client has too many under way, else 503, both with `Retry-After`.
"""

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from ipaddress import IPv6Address, ip_address

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.http.refusals import refuse

_ADMIN = "/v1/admin/"
_EVENTS = "/events"
_UNBOUNDED = ("/healthz", "/readyz", "/metrics")
_ADMIN_RUNNING, _ADMIN_WAITING, _ADMIN_SECONDS = 4, 32, 10.0
# What a provider gives to one customer.
_IPV6_NETWORK_BITS = 64


class _Refused(Exception):
    def __init__(self, code: str, seconds: float) -> None:
        super().__init__(code)
        self.code = code
        self.seconds = seconds


class Gate:
    """Places for `running` requests at once; `waiting` more wait for one in turn, `seconds` at most."""

    def __init__(self, *, running: int, waiting: int, seconds: float) -> None:
        self._places = asyncio.Semaphore(running)
        self._free_seats = waiting
        self._seconds = seconds

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Holds a place for as long as the block runs.

        Raises:
            _Refused: Too many wait already, or none became free in time.
        """
        await self._enter()
        try:
            yield
        finally:
            self._places.release()

    async def _enter(self) -> None:
        if self._places.locked() and not self._free_seats:
            raise _Refused("overloaded", self._seconds)
        self._free_seats -= 1
        try:
            async with asyncio.timeout(self._seconds):
                await self._places.acquire()
        except TimeoutError:
            raise _Refused("overloaded", self._seconds) from None
        finally:
            self._free_seats += 1


class Clients:
    """The requests of each client that wait or run: no client may have more than `most`.

    Of those, fewer run at once than `running`, so that the slowest requests of one client leave a place to
    others. The rest of its own wait apart from those of others, as many and as long.
    """

    def __init__(self, *, most: int, running: int, waiting: int, seconds: float) -> None:
        self._most = most
        self._make_gate = partial(Gate, running=max(1, running - 1), waiting=waiting, seconds=seconds)
        self._counts: Counter[str] = Counter()
        self._gates: dict[str, Gate] = {}

    @contextmanager
    def count(self, client: str) -> Iterator[Gate]:
        """Counts one request for as long as the block runs, and gives the gate of its client.

        Raises:
            _Refused: The client has too many.
        """
        if self._counts[client] >= self._most:
            raise _Refused("too-many-requests", 1)
        self._counts[client] += 1
        try:
            yield self._gates.setdefault(client, self._make_gate())
        finally:
            self._counts[client] -= 1
            if not self._counts[client]:
                del self._counts[client], self._gates[client]


class Admission:
    """ASGI middleware that lets requests in as places become free.

    A query whose client has gone away is given up, and its place with it. Administration has places of its
    own, and is never given up half way. Probes and events are not bounded: those ask for next to nothing.
    The body of a request has to be its first message as a whole, as `SizeLimit` leaves it.
    """

    def __init__(self, app: ASGIApp, *, running: int, waiting: int, seconds: float, per_client: int) -> None:
        self._app = app
        self._queries = Gate(running=running, waiting=waiting, seconds=seconds)
        self._admin = Gate(running=_ADMIN_RUNNING, waiting=_ADMIN_WAITING, seconds=_ADMIN_SECONDS)
        self._clients = Clients(most=per_client, running=running, waiting=waiting, seconds=seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on when there is a place for it, or answers 429 or 503."""
        try:
            await self._admit(scope, receive, send)
        except _Refused as refusal:
            seconds = str(max(1, math.ceil(refusal.seconds)))
            await refuse(refusal.code, headers={"Retry-After": seconds})(scope, receive, send)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        is_admin = path.startswith(_ADMIN)
        if not path or path in _UNBOUNDED or (is_admin and path.endswith(_EVENTS)):
            await self._app(scope, receive, send)
        elif is_admin:
            async with self._admin.place():
                await self._app(scope, receive, send)
        else:
            with self._clients.count(_name_client(scope)) as own:
                await self._answer(own, scope, receive, send)

    async def _answer(self, own: Gate, scope: Scope, receive: Receive, send: Send) -> None:
        unread = [await receive()]
        is_answered = False

        async def receive_again() -> Message:
            return unread.pop() if unread else await receive()

        async def send_watched(message: Message) -> None:
            nonlocal is_answered
            is_answered = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        async def work() -> None:
            async with own.place(), self._queries.place():
                await self._app(scope, receive_again, send_watched)

        async def wait_until_unwanted() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            if is_answered:  # what is left to do needs no client
                await asyncio.Event().wait()

        await _run_while_wanted(work(), wait_until_unwanted())


async def _run_while_wanted(work: Coroutine[None, None, None], unwanted: Coroutine[None, None, None]) -> None:
    """Does the work, and gives it up when `unwanted` ends first."""
    tasks = asyncio.ensure_future(work), asyncio.ensure_future(unwanted)
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    if not tasks[0].cancelled():
        tasks[0].result()


def _name_client(scope: Scope) -> str:
    """Returns the address of the client, for IPv6 its network, empty where the server knows none."""
    host, _ = scope.get("client") or ("", 0)
    try:
        address = ip_address(host)
    except ValueError:
        return str(host)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(int(address) >> (128 - _IPV6_NETWORK_BITS))
    return str(address)
