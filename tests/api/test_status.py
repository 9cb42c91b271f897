"""Status, probes, and services of no or several wikis."""

import asyncio
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from fakes import FakeEmbedder
from fastapi.testclient import TestClient

from service.settings import Settings
from service.wiring import Application


def index(root: Path, embedder: FakeEmbedder | None = None) -> None:
    settings = Settings(wikis={"default": {"root": root}})
    asyncio.run(Application(settings, embedder=embedder or FakeEmbedder()).indexer().run())


def test_status_tells_what_the_index_holds(client: TestClient) -> None:
    (wiki,) = client.get("/v1/status").json()["wikis"]
    assert (wiki["wiki"], wiki["state"], wiki["code"]) == ("default", "ready", None)
    assert wiki["counts"]["pages"] == sum(wiki["counts"]["languages"].values()) == 5
    assert wiki["build"]["language"] == "auto"
    assert wiki["counts"]["embedded"] == wiki["counts"]["chunks"] == 7
    assert (wiki["counts"]["pending"], wiki["counts"]["failed"]) == (0, 0)
    assert (wiki["failed_pages"], wiki["issues"]) == ([], [])
    assert (wiki["build"]["model"], wiki["build"]["dimension"]) == ("fake", 64)
    assert wiki["level"] == "chunk"


def test_status_tells_which_level_a_query_is_answered_at(
    serve: Callable[..., TestClient], tmp_path: Path
) -> None:
    (tmp_path / "page.md").write_text("# Page\n\ntext\n")
    index(tmp_path)
    settings = {"wikis": {"default": {"root": tmp_path}}}

    def look(embedder: FakeEmbedder | None, **more: object) -> tuple[str, str]:
        client, tries = serve(embedder, **settings, **more), 100
        while (status := client.get("/v1/status").json())["embedder"] == "loading" and tries:
            tries -= 1
            time.sleep(0.05)
        return status["embedder"], status["wikis"][0]["level"]

    raising = FakeEmbedder()
    raising.raising = True
    assert look(FakeEmbedder()) == ("ready", "chunk")
    assert look(FakeEmbedder(model="other")) == ("ready", "lexical")
    assert look(raising) == ("embedder-unavailable", "lexical")


def test_status_names_the_pages_that_failed(serve: Callable[..., TestClient], tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("# Good\n\ntext\n")
    (tmp_path / "bad.md").write_text("# Bad\n\nPOISON\n")
    embedder = FakeEmbedder()
    embedder.fail_on = "POISON"
    index(tmp_path, embedder)
    (wiki,) = serve(wikis={"default": {"root": tmp_path}}).get("/v1/status").json()["wikis"]
    assert wiki["failed_pages"] == ["bad.md"]
    assert wiki["counts"]["failed"] == 1
    assert {(issue["path"], issue["code"]) for issue in wiki["issues"]} == {("bad.md", "embedding-failed")}


def test_a_service_without_an_index_starts_says_so_and_notices_one(
    serve: Callable[..., TestClient], tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("# A\n\nzorbnew\n")
    client = serve(wikis={"default": {"root": tmp_path}})
    assert client.get("/healthz").status_code == 200
    for answer in (client.get("/readyz"), client.post("/v1/evidence", json={"query": "zorbnew"})):
        assert (answer.status_code, answer.json()["code"]) == (503, "index-missing")
    (wiki,) = client.get("/v1/status").json()["wikis"]
    assert (wiki["state"], wiki["code"], wiki["generation"]) == ("unavailable", "index-missing", None)
    assert not (tmp_path / ".wikitrail").exists()
    index(tmp_path)
    assert client.get("/readyz").status_code == 200
    assert client.post("/v1/evidence", json={"query": "zorbnew"}).json()["answerable"]


def test_an_index_that_is_replaced_is_noticed(serve: Callable[..., TestClient], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nzorbold\n")
    index(tmp_path)
    client = serve(wikis={"default": {"root": tmp_path}})
    assert client.post("/v1/evidence", json={"query": "zorbold"}).json()["answerable"]
    shutil.rmtree(tmp_path / ".wikitrail")
    assert client.get("/readyz").json()["code"] == "index-missing"
    (tmp_path / "a.md").write_text("# A\n\nzorbnew\n")
    index(tmp_path)
    assert client.post("/v1/evidence", json={"query": "zorbnew"}).json()["answerable"]
    assert not client.post("/v1/evidence", json={"query": "zorbold"}).json()["answerable"]


def test_several_wikis_are_asked_by_name(serve: Callable[..., TestClient], tmp_path: Path) -> None:
    roots = {name: tmp_path / name for name in ("notes", "my docs")}
    for name, root in roots.items():
        root.mkdir()
        (root / "a.md").write_text(f"# A\n\nzorb of {name}\n")
        index(root)
    client = serve(wikis={name: {"root": root} for name, root in roots.items()}, default_wiki="notes")
    answers = [
        client.post("/v1/evidence", json={"query": "zorb", **wiki}).json()
        for wiki in ({}, {"wiki": "notes"}, {"wiki": "my docs"})
    ]
    assert [answer["wiki"] for answer in answers] == ["notes", "notes", "my docs"]
    assert "zorb of notes" in answers[0]["evidence"][0]["text"]
    url = answers[2]["evidence"][0]["citation"]["url"]
    assert url == "/v1/pages/a.md?wiki=my%20docs#a"
    assert "zorb of my docs" in client.get(url.partition("#")[0]).json()["text"]
    assert [wiki["wiki"] for wiki in client.get("/v1/status").json()["wikis"]] == ["notes", "my docs"]


def test_a_citation_can_lead_to_another_site(serve: Callable[..., TestClient], wiki: Path) -> None:
    urls = []
    for base in ("https://wiki.example/", "app://open?file={path}"):
        client = serve(wikis={"default": {"root": wiki, "base_url": base}})
        pack = client.post("/v1/evidence", json={"query": "zorbback"}).json()
        urls.append(pack["evidence"][0]["citation"]["url"])
    assert urls == ["https://wiki.example/ops/deploy.md#rollback", "app://open?file=ops/deploy.md#rollback"]
