"""A search that is weaker than it should be, as clients of the service and of the command line see it."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, Reply, Script, choose_by_words, fail, say
from click.testing import CliRunner
from fakes import FakeChooser, FakeEmbedder
from fastapi.testclient import TestClient

from retrieval.request import MAX_TIMEOUT_MS
from service.cli import main
from service.http.app import create_app
from service.settings import Settings
from service.wire.pack import EvidenceAnswer
from service.wiring import Application

# A model that hangs does so for longer than any test may take.
HANGING = 120.0
SECONDS = 0.3

QUERY = "zorbship"
PAGE = "ops/deploy.md"


@contextmanager
def serving(
    wiki: Path, fake: FakeEmbedder | None = None, *, query_seconds: float = SECONDS, **settings: Any
) -> Iterator[TestClient]:
    """A client of a service with these settings, whose embedder is the fake one if that is given."""
    given = Settings(wikis={"default": {"root": wiki}}, **settings)
    application = Application(given, embedder=fake, query_seconds=query_seconds)
    with TestClient(create_app(application), raise_server_exceptions=False) as client:
        yield client


def ask(client: TestClient, query: str = QUERY, **fields: Any) -> dict[str, Any]:
    answer = client.post("/v1/evidence", json={"query": query, **fields})
    assert answer.status_code == 200, answer.text
    EvidenceAnswer.model_validate(answer.json())
    return dict(answer.json())


def told(pack: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(warning["code"], warning["reason"]) for warning in pack["warnings"]]


def cited(pack: dict[str, Any]) -> set[str]:
    return {passage["citation"]["path"] for passage in pack["evidence"]}


def hang(embedder: FakeEmbedder) -> None:
    embedder.hang_seconds = HANGING


def raise_errors(embedder: FakeEmbedder) -> None:
    embedder.raising = True


def lengthen(embedder: FakeEmbedder) -> None:
    embedder.wrong_dimension = True


def lose(embedder: FakeEmbedder) -> None:
    embedder.nan_on = QUERY


@pytest.mark.parametrize(
    ("break_down", "reason"),
    [
        (hang, "embedder-timeout"),
        (raise_errors, "embedder-unavailable"),
        (lengthen, "embedder-unavailable"),
        (lose, "embedder-unavailable"),
    ],
)
def test_an_embedder_that_breaks_down_weakens_the_answer_until_it_recovers(
    wiki: Path, break_down: Callable[[FakeEmbedder], None], reason: str
) -> None:
    embedder = FakeEmbedder()
    with serving(wiki, embedder) as client:
        assert told(ask(client, "zorbback")) == []
        break_down(embedder)
        pack = ask(client)
        assert told(pack) == [("embedding-degraded", reason)]
        assert pack["retrieval"]["level"] == "lexical"
        assert PAGE in cited(pack)
        embedder.recover()
        embedder.release()
        recovered = ask(client)
        assert (told(recovered), recovered["retrieval"]["level"]) == ([], "chunk")


def test_a_service_whose_model_is_still_loading_answers(wiki: Path) -> None:
    embedder = FakeEmbedder()
    hang(embedder)
    with serving(wiki, embedder) as client:
        pack = ask(client)
        assert told(pack) == [("embedding-degraded", "embedder-loading")]
        assert PAGE in cited(pack)
        embedder.release()
        assert told(ask(client, "zorbback")) == []


def test_an_index_of_another_model(wiki: Path) -> None:
    with serving(wiki, FakeEmbedder(model="other")) as client:
        pack = ask(client)
        assert told(pack) == [("embedding-degraded", "space-mismatch")]
        assert [warning["retryable"] for warning in pack["warnings"]] == [False]
        assert PAGE in cited(pack)


@pytest.mark.parametrize(
    ("script", "seconds", "level", "codes"),
    [
        (choose_by_words, HANGING, "llm", ["embedding-degraded", "llm-fallback-used"]),
        (fail(500), HANGING, "lexical", ["embedding-degraded", "llm-unavailable"]),
        (say("no JSON at all"), HANGING, "lexical", ["embedding-degraded", "llm-unavailable"]),
        (say('{"pages": []}'), HANGING, "lexical", ["embedding-degraded"]),
        (lambda _: Reply(body=b"", wait=HANGING), 1, "lexical", ["embedding-degraded", "llm-unavailable"]),
    ],
    ids=["chooses", "down", "prose", "nothing", "hangs"],
)
def test_a_language_model_is_set_up_by_settings(
    wiki: Path, script: Script, seconds: float, level: str, codes: list[str]
) -> None:
    with ChatServer(script=script) as server:
        llm = {"base_url": server.base_url, "model": "m", "timeout": seconds}
        with serving(wiki, embedder="none", llm=llm) as client:
            pack = ask(client, "how do I deploy the zorbship", timeout_ms=MAX_TIMEOUT_MS)
    assert pack["retrieval"]["level"] == level
    assert [code for code, _ in told(pack)] == codes
    assert PAGE in cited(pack)


@pytest.mark.parametrize(
    ("on", "level", "asked"), [("unavailable", "chunk", 0), ("weak", "llm", 1), ("never", "chunk", 0)]
)
def test_weak_hits_are_left_to_a_language_model_by_a_setting(
    wiki: Path, on: str, level: str, asked: int
) -> None:
    chooser = FakeChooser()
    settings = Settings(wikis={"default": {"root": wiki}}, llm={"on": on})
    application = Application(settings, embedder=FakeEmbedder(), chooser=chooser)
    with TestClient(create_app(application)) as client:
        # No passage has a term of the query: "it" is none, but the fake chooser finds it in the catalogue.
        pack = ask(client, "quux it")
    assert len(chooser.asked) == asked
    assert pack["retrieval"]["level"] == level
    assert pack["answerable"] == (level == "llm")


def test_a_service_with_everything_hanging_keeps_to_the_time_of_each_request(wiki: Path) -> None:
    embedder = FakeEmbedder()
    hang(embedder)
    with ChatServer(script=lambda _: Reply(body=b"", wait=HANGING)) as server:
        llm = {"base_url": server.base_url, "model": "m", "timeout": HANGING}
        with serving(wiki, embedder, query_seconds=HANGING, llm=llm) as client:
            packs: list[dict[str, Any]] = []
            threads = [
                threading.Thread(target=lambda: packs.append(ask(client, timeout_ms=500))) for _ in range(4)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(HANGING / 4)
            embedder.release()
    weaker = [("embedding-degraded", "embedder-loading"), ("llm-unavailable", None)]
    assert [told(pack)[:2] for pack in packs] == [weaker] * 4
    assert all(PAGE in cited(pack) for pack in packs)


@pytest.mark.parametrize(("embedder", "reason"), [("none", "disabled"), ("minilm", "space-mismatch")])
@pytest.mark.parametrize("query", [QUERY, "quux"])
def test_the_command_line_answers_with_the_same_warnings(
    wiki: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: str, reason: str, query: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with ChatServer(script=fail(500)) as server:
        llm = {"base_url": server.base_url, "model": "m"}
        with serving(wiki, embedder=embedder, llm=llm) as client:
            over_http = ask(client, query)
        monkeypatch.setenv("WIKITRAIL_LLM__BASE_URL", server.base_url)
        monkeypatch.setenv("WIKITRAIL_LLM__MODEL", "m")
        words = ["search", str(wiki), query, "--embedder", embedder, "--json"]
        result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.stderr
    printed = json.loads(result.stdout)
    assert told(printed)[:2] == [("embedding-degraded", reason), ("llm-unavailable", None)]
    assert printed["warnings"] == over_http["warnings"]
    assert printed["retrieval"]["steps"] == over_http["retrieval"]["steps"]
    assert printed["evidence"] == over_http["evidence"]
