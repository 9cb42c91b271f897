"""Every error is a problem with a stable code, and tells nothing that is not the client's business."""

import logging
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from fastapi.testclient import TestClient

import chunking
import indexer
import retrieval
import service
from chunking import WikitrailError
from retrieval.retriever import Retriever
from retrieval.store import IndexMissing
from service.http.problems import ANSWERS

JSON = {"content-type": "application/json"}


def subclasses(kind: type[WikitrailError]) -> Iterator[type[WikitrailError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from subclasses(child)


def test_the_table_has_every_error_and_no_code_twice() -> None:
    for package in (chunking, retrieval, indexer, service):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    kinds = set(subclasses(WikitrailError))
    assert kinds == set(ANSWERS)
    assert len({kind.code for kind in kinds}) == len(kinds)


def test_the_words_of_an_error_reach_the_client_only_where_it_can_mend_it() -> None:
    assert {answer.status for answer in ANSWERS.values() if answer.detail is None} <= {404, 422}


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/", 404, "not-found"),
        ("GET", "/v1/nope", 404, "not-found"),
        ("GET", "/v1/status/", 404, "not-found"),
        ("GET", "/v1/evidence", 405, "method-not-allowed"),
        ("DELETE", "/v1/pages/index.md", 405, "method-not-allowed"),
    ],
)
def test_what_no_route_answers(client: TestClient, method: str, path: str, status: int, code: str) -> None:
    answer = client.request(method, path)
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (answer.status_code, problem["status"], problem["code"]) == (status, status, code)
    assert problem["title"]
    assert problem["detail"]


MALFORMED = {
    "nothing": (b"", 422),
    "half an object": (b"{", 400),
    "list": (b"[]", 422),
    "text": (b'"x"', 422),
    "null": (b"null", 422),
    "number as query": (b'{"query":1}', 422),
    "lone surrogate": (b'{"query":"\\ud83d"}', 422),
    "lone surrogate as key": (b'{"query":"x","\\ud83d":1}', 422),
    "key twice": (b'{"query":"x","k":5,"k":-1}', 422),
    "NaN": (b'{"query":"x","min_score":NaN}', 422),
    "no UTF-8": (b'{"query":"\xff"}', 400),
    "deep list": (b"[" * 100_000, 400),
    "deep field": (b'{"query":' + b"[" * 100_000, 400),
    "huge number": (b'{"query":"x","k":' + b"9" * 5_000 + b"}", 400),
    "huge body": (b"a" * 5_000_000, 413),
}


@pytest.mark.parametrize(("body", "status"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_body(client: TestClient, body: bytes, status: int) -> None:
    answer = client.post("/v1/evidence", content=body, headers=JSON)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status


def test_a_body_of_unknown_length_is_read_only_up_to_the_limit(serve: Callable[..., TestClient]) -> None:
    client = serve(server={"max_body_bytes": 10_000})

    def endless() -> Iterator[bytes]:
        for _ in range(1_000):
            yield b" " * 1_000

    answer = client.post("/v1/evidence", content=endless(), headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (413, "body-too-large")


def test_a_body_that_is_not_declared_as_json(client: TestClient) -> None:
    answer = client.post("/v1/evidence", content=b'{"query":"x"}', headers={"content-type": "text/plain"})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported-media-type")


def test_an_unexpected_error_is_told_by_id_alone(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError("in /home/ada with sk-secret")

    monkeypatch.setattr(Retriever, "retrieve", fail)
    with caplog.at_level(logging.ERROR, logger="service.http.problems"):
        answer = client.post("/v1/evidence", json={"query": "x"})
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (500, "internal-error")
    assert "/home" not in answer.text  # a name of hex digits might stand in the request id
    assert "Zero" not in answer.text
    assert problem["request_id"] == answer.headers["x-request-id"]
    assert "sk-secret" in caplog.text


def test_a_place_of_this_machine_stays_here(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise IndexMissing("there is no index at /home/ada/.wikitrail")

    monkeypatch.setattr(Retriever, "retrieve", fail)
    answer = client.post("/v1/evidence", json={"query": "x"})
    assert (answer.status_code, answer.json()["code"]) == (503, "index-missing")
    assert "/home" not in answer.text  # a name of hex digits might stand in the request id


def test_no_answer_names_the_folder(client: TestClient, wiki: Path) -> None:
    answers = [
        client.get("/v1/status"),
        client.get("/v1/pages/nope.md"),
        client.get("/v1/pages/..%2fsecret.md"),
        client.get("/openapi.json"),
        client.post("/v1/evidence", json={"query": "zorbship"}),
        client.post("/v1/evidence", json={"query": "x", "path_prefix": ".."}),
    ]
    assert not any("secret-place" in answer.text or "Traceback" in answer.text for answer in answers)
