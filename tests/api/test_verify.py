"""`POST /v1/verify` as its clients see it, and what `/v1/evidence` says of pages that changed."""

import asyncio
import hashlib
import json
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fakes import FakeEmbedder
from fastapi.testclient import TestClient

from service.http.app import create_app
from service.settings import Settings
from service.wire.verify import VerifyAnswer
from service.wiring import Application

PAGE = "# Deploy\n\nIt ships the zorbship.\n\n## Rollback\n\nRun zorbback twice and wait for the keeper.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A wiki of its own, to be edited."""
    root = tmp_path / "secret-place" / "wiki"
    (root / "ops").mkdir(parents=True)
    (root / "ops/deploy.md").write_text(PAGE)
    settings = Settings(wikis={"default": {"root": root}})
    asyncio.run(Application(settings, embedder=FakeEmbedder()).indexer().run())
    return root


@pytest.fixture
def mine(root: Path, serve: Callable[..., TestClient]) -> TestClient:
    return serve(wikis={"default": {"root": root}})


def find_citation(client: TestClient) -> dict[str, Any]:
    answer = client.post("/v1/evidence", json={"query": "zorbback keeper"})
    assert answer.status_code == 200
    citation: dict[str, Any] = answer.json()["evidence"][0]["citation"]
    return citation


def verify(client: TestClient, **body: object) -> dict[str, Any]:
    answer = client.post("/v1/verify", json=body)
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    VerifyAnswer.model_validate(content)
    return content


def test_citations_of_a_pack_are_posted_as_they_are(mine: TestClient, root: Path) -> None:
    citation = find_citation(mine)
    answer = verify(mine, citations=[citation])
    assert (answer["wiki"], answer["left_out"]) == ("default", 0)
    assert answer["counts"] == {"ok": 1, "moved": 0, "changed": 0, "deleted": 0, "unknown": 0}
    (result,) = answer["results"]
    place = ("path", "line_start", "line_end", "char_start", "char_end")
    assert {key: result[key] for key in place} == {key: citation[key] for key in place}
    assert (result["status"], result["quote"]) == ("ok", None)
    (root / "ops/deploy.md").write_text("Above.\n\n" + PAGE)
    (result,) = verify(mine, citations=[citation])["results"]
    assert (result["status"], result["line_start"]) == ("moved", citation["line_start"] + 2)
    assert result["detail"] == "it stands in lines 7 to 9 now"


def test_quotations_of_a_text_come_back_with_their_verdicts(mine: TestClient) -> None:
    text = (
        "First.\n\nIt says “Run zorbback twice and wait” (ops/deploy.md:7) and “Run it thrice” (ops/gone.md)."
    )
    answer = verify(mine, text=text)
    assert [(result["status"], result["quote"]) for result in answer["results"]] == [
        ("ok", {"text": "Run zorbback twice and wait", "line": 3, "cited": "ops/deploy.md:7-7"}),
        ("deleted", {"text": "Run it thrice", "line": 3, "cited": "ops/gone.md"}),
    ]


def test_evidence_of_a_changed_page_is_that_of_the_file(mine: TestClient, root: Path) -> None:
    page = (PAGE.replace("twice", "four times") + "\nMore.\n").encode("utf-16")
    (root / "ops/deploy.md").write_bytes(page)
    pack = mine.post("/v1/evidence", json={"query": "zorbback keeper"}).json()
    item, live = pack["evidence"][0], page.decode("utf-16")
    citation = item["citation"]
    assert citation["freshness"] == "repaired"
    assert "four times" in item["text"]
    assert live[citation["char_start"] : citation["char_end"]] == item["text"]
    assert citation["page_sha256"] == hashlib.sha256(page).hexdigest()
    assert [warning["code"] for warning in pack["warnings"]] == ["index-stale"]
    assert verify(mine, citations=[citation])["counts"]["ok"] == 1


def test_nothing_is_nothing_to_verify(mine: TestClient) -> None:
    assert verify(mine, citations=[])["results"] == []
    assert verify(mine, text="No quotation.")["results"] == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "body"),
        ({"citations": [], "text": "both"}, "body"),
        ({"text": ""}, "text"),
        ({"text": "x" * 200_001}, "text"),
        ({"text": "\ud800"}, "text"),
        ({"text": 7}, "text"),
        ({"citations": [{}]}, "citations[0].path"),
        ({"citations": [{"path": "\ud800.md"}]}, "citations[0].path"),
        ({"citations": [{"path": "a.md", "sha": ""}]}, "citations[0].sha"),
        ({"citations": [{"path": "a.md", "text_sha256": "XYZ"}]}, "citations[0].text_sha256"),
        ({"citations": [{"path": "a.md", "char_start": 3}]}, "citations[0]"),
        ({"citations": [{"path": "a.md", "char_start": 3, "char_end": 3}]}, "citations[0]"),
        ({"citations": [{"path": "a.md", "char_start": -1, "char_end": 3}]}, "citations[0].char_start"),
        ({"citations": [{"path": "a.md", "line_start": 0}]}, "citations[0].line_start"),
        ({"citations": [{"path": "a.md", "line_end": 3}]}, "citations[0]"),
        ({"citations": [{"path": "a.md", "line_start": 3, "line_end": 2}]}, "citations[0]"),
        ({"citations": [{"path": "a.md", "line_start": 2**31}]}, "citations[0].line_start"),
        ({"citations": [{"path": "a.md"}] * 101}, "citations"),
        ({"text": "x", "depth": 3}, "depth"),
    ],
)
def test_bad_input_is_named(client: TestClient, body: dict[str, Any], field: str) -> None:
    answer = client.post("/v1/verify", content=json.dumps(body), headers={"content-type": "application/json"})
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert answer.json()["errors"][0]["field"] == field


def test_wiki_that_is_not_there_is_a_problem(client: TestClient) -> None:
    answer = client.post("/v1/verify", json={"wiki": "none", "citations": []})
    assert (answer.status_code, answer.json()["code"]) == (404, "wiki-not-found")


def test_answers_name_no_place_of_the_machine(mine: TestClient, root: Path) -> None:
    (root / "ops/deploy.md").unlink()
    (root / "ops/deploy.md").mkdir()
    content = mine.post("/v1/verify", json={"citations": [{"path": "ops/deploy.md", "text": "x y z"}]}).text
    assert "deleted" in content
    assert "secret-place" not in content


@pytest.fixture
def address(root: Path) -> Iterator[str]:
    """A service on a port of its own."""
    settings = Settings(wikis={"default": {"root": root}})
    app = create_app(Application(settings, embedder=FakeEmbedder()))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started and thread.is_alive():
        thread.join(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def test_pack_is_verified_over_a_real_connection(address: str, root: Path) -> None:
    def post(path: str, body: object) -> Any:
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(address + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    pack = post("/v1/evidence", {"query": "zorbback keeper"})
    citations = [item["citation"] for item in pack["evidence"]]
    (root / "ops/deploy.md").unlink()
    assert {result["status"] for result in post("/v1/verify", {"citations": citations})["results"]} == {
        "deleted"
    }
