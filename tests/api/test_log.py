"""What is logged of requests, and the ids by which its records belong together."""

import asyncio
import io
import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fakes import FakeEmbedder
from fastapi.testclient import TestClient

from retrieval.retriever import Retriever
from service.http.app import create_app
from service.observability.records import JsonFormatter
from service.server import address_of, listen, serve_beside
from service.settings import Settings
from service.wiring import Application

TOKEN = "sesame-12"
_log = logging.getLogger("retrieval.test")


class Log:
    """The log of this process, as objects."""

    def __init__(self, stream: io.StringIO) -> None:
        self.stream = stream

    def records(self, logger: str) -> list[dict[str, Any]]:
        found = (json.loads(line) for line in self.stream.getvalue().split("\n") if line)
        return [record for record in found if record["logger"] == logger]

    def requests(self) -> list[dict[str, Any]]:
        return self.records("service.access")


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    monkeypatch.setattr(logging.getLogger("httpx2"), "level", logging.WARNING)  # the tests' own client
    yield Log(handler.stream)
    root.setLevel(level)
    root.removeHandler(handler)


@pytest.fixture
def address(wiki: Path) -> Iterator[str]:
    """Where a service listens."""
    settings = Settings(wikis={"default": {"root": wiki}}, api_token=TOKEN)
    app = create_app(Application(settings, embedder=FakeEmbedder()))
    listener = listen("127.0.0.1", 0)
    with serve_beside(app, listener):
        yield address_of(listener)


def test_each_request_has_one_record(address: str, log: Log) -> None:
    with httpx2.Client(base_url=address, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
        answer = client.post("/v1/evidence", json={"query": "zorbback of nobody"})
        missing = client.get("/v1/pages/zorbpage.md", headers={"X-Request-ID": "mine.1"})
        client.get("/zorb%0D%0Aelsewhere?query=zorbquery")
    evidence, page, elsewhere = log.requests()
    assert evidence["request_id"] == answer.headers["x-request-id"]
    assert evidence["bytes"] == len(answer.content)
    assert 0 < evidence["ms"] < 60_000
    assert {
        name: evidence[name] for name in ("method", "route", "status", "client", "wiki", "answered_at")
    } == {
        "method": "POST",
        "route": "/v1/evidence",
        "status": 200,
        "client": "127.0.0.1",
        "wiki": "default",
        "answered_at": "chunk",
    }
    assert (page["request_id"], page["route"], page["status"]) == ("mine.1", "/v1/pages/{path}", 404)
    assert (missing.headers["x-request-id"], missing.json()["request_id"]) == ("mine.1", "mine.1")
    assert "wiki" not in page
    assert (elsewhere["route"], elsewhere["status"]) == ("none", 404)
    assert "zorb" not in log.stream.getvalue()
    assert TOKEN not in log.stream.getvalue()


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/healthz", None, 200),
        ("GET", "/nowhere", None, 404),
        ("DELETE", "/v1/evidence", None, 405),
        ("POST", "/v1/evidence", b"{", 400),
        ("POST", "/v1/evidence", b" " * 2_000_000, 413),
        ("POST", "/v1/admin/reindex", b"{}", 403),
        ("POST", "/v1/evidence", b'{"query": "x"}', 500),
    ],
)
def test_every_answer_has_an_id(
    client: TestClient,
    monkeypatch: pytest.MonkeyPatch,
    log: Log,
    method: str,
    path: str,
    body: bytes | None,
    status: int,
) -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError("sk-secret\nERROR all is lost")

    monkeypatch.setattr(Retriever, "retrieve", fail)
    headers = {"content-type": "application/json", "x-request-id": "an_id-1.2"}
    answer = client.request(method, path, content=body, headers=headers)
    assert (answer.status_code, answer.headers["x-request-id"]) == (status, "an_id-1.2")
    if status >= 400:
        assert answer.json()["request_id"] == "an_id-1.2"
    (record,) = log.requests()
    assert (record["request_id"], record["status"]) == ("an_id-1.2", status)
    if status == 500:
        (failure,) = log.records("service.http.problems")
        assert (failure["request_id"], failure["level"]) == ("an_id-1.2", "error")
        assert "ZeroDivisionError: sk-secret" in failure["exception"]


@pytest.mark.parametrize("unsafe", ["", "x" * 65, "a b", "a;b", "\x1b[31m", "é", "../../etc"])
def test_an_unsafe_id_is_not_repeated(client: TestClient, log: Log, unsafe: str) -> None:
    answer = client.get("/healthz", headers={"X-Request-ID": unsafe.encode("latin-1")})
    given = answer.headers["x-request-id"]
    assert (len(given), given.isalnum()) == (32, True)
    assert log.requests()[0]["request_id"] == given


def test_ids_of_requests_at_once_are_not_mixed_up(
    address: str, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    retrieve = Retriever.retrieve

    async def retrieve_talking(self: Retriever, request: Any) -> Any:
        _log.warning("before %s", request.query)
        await asyncio.sleep(0.01)
        await asyncio.to_thread(_log.warning, "in a thread %s", request.query)
        pack = await retrieve(self, request)
        _log.warning("after %s", request.query)
        return pack

    monkeypatch.setattr(Retriever, "retrieve", retrieve_talking)

    def ask(number: int) -> None:
        headers = {"Authorization": f"Bearer {TOKEN}", "X-Request-ID": f"id-{number}"}
        answer = httpx2.post(
            f"{address}/v1/evidence", json={"query": f"zorb{number}"}, headers=headers, timeout=60
        )
        assert (answer.status_code, answer.headers["x-request-id"]) == (200, f"id-{number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(40)))
    spoken = log.records("retrieval.test")
    assert len(spoken) == 3 * 40
    assert all(record["message"].endswith(record["request_id"].replace("id-", " zorb")) for record in spoken)
    assert Counter(record["request_id"] for record in log.requests()) == {f"id-{n}": 1 for n in range(40)}


def test_what_a_thread_of_the_embedder_logs_has_the_id_of_the_query(
    serve: Callable[..., TestClient], log: Log
) -> None:
    embedder = FakeEmbedder()
    client = serve(embedder)
    client.post("/v1/evidence", json={"query": "zorb"})
    embedder.raising = True
    client.post("/v1/evidence", json={"query": "zorbback"}, headers={"X-Request-ID": "of-the-query"})
    spoken = log.records("retrieval.query_embedder")
    assert spoken
    assert {record["request_id"] for record in spoken} == {"of-the-query"}
