"""How many requests are let in, and what becomes of the rest."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from service.http.admission import Admission

pytestmark = pytest.mark.anyio

App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Client:
    """One request to an ASGI application, whose client stays until it goes."""

    def __init__(self, path: str = "/v1/evidence", address: str = "192.0.2.1") -> None:
        self._scope = {"type": "http", "path": path, "client": (address, 1), "headers": []}
        self._gone = asyncio.Event()
        self._unread: list[Message] = [{"type": "http.request", "body": b"{}", "more_body": False}]
        self.sent: list[Message] = []

    def go(self) -> None:
        self._gone.set()

    async def ask(self, app: Admission) -> int | None:
        """Returns the status of the answer, None where there was none."""
        await app(self._scope, self._receive, self._send)
        return next((message["status"] for message in self.sent if "status" in message), None)

    @property
    def problem(self) -> dict[str, Any]:
        return json.loads(b"".join(message.get("body", b"") for message in self.sent))

    @property
    def retry_after(self) -> int:
        (start, *_) = self.sent
        return int(dict(start["headers"])[b"retry-after"])

    async def _receive(self) -> Message:
        if self._unread:
            return self._unread.pop()
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        self.sent.append(message)
        if message["type"] == "http.response.body":
            self._gone.set()  # as servers do: after an answer there is nothing to be received


class Workshop:
    """An application that answers when it is let, and knows what is going on in it."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.running = self.most_running = 0
        self.ended: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["body"] == b"{}"
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await self.open.wait()
            await PlainTextResponse("done")(scope, receive, send)
            await asyncio.sleep(0)  # as what ends after the answer
            self.ended.append("answered")
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise
        finally:
            self.running -= 1


def admit(app: Any, **bounds: Any) -> Admission:
    return Admission(app, **{"running": 2, "waiting": 2, "seconds": 5.0, "per_client": 100, **bounds})


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_requests_run_wait_and_are_refused_in_turn() -> None:
    workshop = Workshop()
    app = admit(workshop, seconds=2.5)
    asking = [asyncio.create_task(Client(address=f"192.0.2.{last}").ask(app)) for last in range(4)]
    await settle()
    assert workshop.running == 2
    refused = Client(address="192.0.2.4")
    assert await refused.ask(app) == 503
    assert (refused.problem["code"], refused.retry_after) == ("overloaded", 3)
    workshop.open.set()
    assert await asyncio.gather(*asking) == [200] * 4
    assert (workshop.most_running, workshop.ended) == (2, ["answered"] * 4)


async def test_nobody_waits_longer_than_agreed() -> None:
    workshop = Workshop()
    app = admit(workshop, running=1, seconds=0.05)
    first = asyncio.create_task(Client().ask(app))
    await settle()
    waiting = Client()
    assert await waiting.ask(app) == 503
    assert waiting.problem["code"] == "overloaded"
    workshop.open.set()
    assert await first == 200
    assert await Client().ask(app) == 200


async def test_one_client_does_not_take_all_places() -> None:
    workshop = Workshop()
    app = admit(workshop, per_client=2, waiting=9)
    asking = [asyncio.create_task(Client(address=f"2001:db8::{last}").ask(app)) for last in (1, 2)]
    await settle()
    refused = Client(address="2001:db8::3")
    assert await refused.ask(app) == 429
    assert (refused.problem["code"], refused.retry_after) == ("too-many-requests", 1)
    asking += [asyncio.create_task(Client(address=at).ask(app)) for at in ("2001:db8:0:1::1", "192.0.2.1")]
    workshop.open.set()
    assert await asyncio.gather(*asking) == [200] * 4
    assert await Client(address="2001:db8::3").ask(app) == 200


async def test_slow_requests_of_one_client_leave_a_place_and_seats_to_others() -> None:
    workshop = Workshop()
    app = admit(workshop, running=3, waiting=4)
    flood = [asyncio.create_task(Client().ask(app)) for _ in range(9)]
    await settle()
    assert workshop.running == 2
    assert [task.result() for task in flood if task.done()] == [503] * 3
    others = [asyncio.create_task(Client(address=f"192.0.2.{last}").ask(app)) for last in range(2, 7)]
    await settle()
    assert (workshop.running, any(task.done() for task in others)) == (3, False)
    workshop.open.set()
    assert await asyncio.gather(*others) == [200] * 5
    assert (await asyncio.gather(*flood)).count(200) == 6


@pytest.mark.parametrize(
    "path", ["/healthz", "/readyz", "/metrics", "/v1/admin/jobs/7/events", "/v1/admin/jobs"]
)
async def test_a_flood_of_queries_does_not_reach_probes_and_administration(path: str) -> None:
    workshop = Workshop()
    app = admit(workshop, running=1, waiting=1)
    flood = [asyncio.create_task(Client(address=f"192.0.2.{last}").ask(app)) for last in range(9)]
    await settle()
    assert [task.result() for task in flood if task.done()] == [503] * 7
    probe = asyncio.create_task(Client(path).ask(app))
    await settle()
    assert workshop.running == 2
    workshop.open.set()
    assert await probe == 200
    await asyncio.gather(*flood)


async def test_administration_has_bounds_of_its_own() -> None:
    workshop = Workshop()
    app = admit(workshop)
    asking = [asyncio.create_task(Client("/v1/admin/jobs").ask(app)) for _ in range(100)]
    await settle()
    assert workshop.running == 4
    workshop.open.set()
    answers = await asyncio.gather(*asking)
    assert set(answers) == {200, 503}
    assert workshop.running == 0


async def test_a_client_that_goes_away_leaves_its_place_to_the_next() -> None:
    workshop = Workshop()
    app = admit(workshop, running=1)
    first, second, third = Client(), Client(), Client()
    asking = [asyncio.create_task(client.ask(app)) for client in (first, second, third)]
    await settle()
    second.go()  # while it waits
    first.go()  # while it runs
    await settle()
    assert [task.done() for task in asking] == [True, True, False]
    assert (workshop.ended, workshop.running) == (["cancelled"], 1)
    workshop.open.set()
    assert await asyncio.gather(*asking) == [None, None, 200]


async def test_administration_goes_on_without_its_client() -> None:
    workshop = Workshop()
    app = admit(workshop)
    client = Client("/v1/admin/generations/3/activate")
    asking = asyncio.create_task(client.ask(app))
    await settle()
    client.go()
    await settle()
    assert not asking.done()
    workshop.open.set()
    assert await asking == 200


async def test_an_error_leaves_its_place() -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError

    app = admit(fail, running=1, waiting=0)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            await Client().ask(app)


@pytest.mark.parametrize("seed", range(10))
async def test_no_place_is_lost_whatever_becomes_of_requests(seed: int) -> None:
    chance, running, most = random.Random(seed), 0, 0

    async def work_by_chance(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        try:
            await asyncio.sleep(chance.choice([0, 0.01, 0.1]))
            if chance.random() < 0.2:
                raise ZeroDivisionError
            await PlainTextResponse("done")(scope, receive, send)
        finally:
            running -= 1

    work: App = work_by_chance

    async def app_of_now(*args: Any) -> None:
        await work(*args)

    app = admit(app_of_now, running=3, waiting=6, seconds=0.1, per_client=5)

    async def live() -> int | None:
        client = Client(address=f"192.0.2.{chance.randrange(4)}")
        asking = asyncio.create_task(client.ask(app))
        await asyncio.sleep(chance.choice([0, 0.01, 0.05, 0.3]))
        chance.choice([client.go, asking.cancel, lambda: None, lambda: None])()
        with suppress(ZeroDivisionError, asyncio.CancelledError):
            return await asking
        return None

    answers = await asyncio.gather(*(live() for _ in range(300)))
    assert set(answers) <= {None, 200, 429, 503}
    assert 200 in answers
    assert (running, most) == (0, 3)
    # All places and seats are free again: as many run and wait as at the beginning.
    asking = [asyncio.create_task(Client(address=f"192.0.2.{last}").ask(app)) for last in range(10)]
    workshop = Workshop()
    work = workshop
    await settle()
    assert workshop.running == 3
    assert [task.result() for task in asking if task.done()] == [503]
    workshop.open.set()
    assert (await asyncio.gather(*asking)).count(200) >= 3
