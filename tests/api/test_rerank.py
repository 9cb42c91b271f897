"""The second stage of ranking as a request asks for it."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fakes import FakeEmbedder, FakeScorer
from fastapi.testclient import TestClient

from service.http.app import create_app
from service.settings import Settings
from service.wiring import Application

QUERY = {"query": "zorbship"}


@pytest.fixture
def scorer() -> FakeScorer:
    return FakeScorer()


@pytest.fixture
def client(wiki: Path, scorer: FakeScorer) -> Iterator[TestClient]:
    """A client of a service with a cross-encoder."""
    settings = Settings(wikis={"default": {"root": wiki}})
    application = Application(settings, embedder=FakeEmbedder(), scorer=scorer)
    with TestClient(create_app(application), raise_server_exceptions=False) as client:
        yield client


def test_a_request_that_asks_for_none_gets_none(client: TestClient) -> None:
    assert client.post("/v1/evidence", json=QUERY).json()["retrieval"]["rerank"] is None


def test_a_request_gets_what_it_asks_for(client: TestClient, scorer: FakeScorer) -> None:
    pack = client.post("/v1/evidence", json={**QUERY, "rerank": "cross-encoder"}).json()
    assert pack["retrieval"]["rerank"] == {"stage": "cross-encoder", "outcome": "used", "reason": None}
    assert "zorbship" in {query for query, _ in scorer.asked}
    assert "refine" in pack["retrieval"]["timings_ms"]


def test_a_cross_encoder_works_at_every_level(client: TestClient) -> None:
    body = {**QUERY, "rerank": "cross-encoder", "mode": "lexical"}
    retrieval = client.post("/v1/evidence", json=body).json()["retrieval"]
    assert (retrieval["level"], retrieval["rerank"]["outcome"]) == ("lexical", "used")


def test_a_stage_that_is_not_set_up_is_the_mistake_of_the_request(client: TestClient) -> None:
    answer = client.post("/v1/evidence", json={**QUERY, "rerank": "maxsim"})
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (422, "rerank-not-set-up")
    (error,) = problem["errors"]
    assert error["field"] == "rerank"
    assert error["message"].startswith(
        "maxsim is not set up here; set `rerank` to it and index the wiki again"
    )


def test_an_unknown_stage_is_named(client: TestClient) -> None:
    answer = client.post("/v1/evidence", json={**QUERY, "rerank": "magic"})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "rerank")


def test_a_cross_encoder_that_fails_leaves_the_ranking_and_says_so(
    client: TestClient, scorer: FakeScorer
) -> None:
    plain = client.post("/v1/evidence", json=QUERY).json()
    scorer.raising = True
    pack = client.post("/v1/evidence", json={**QUERY, "rerank": "cross-encoder"}).json()
    assert pack["retrieval"]["rerank"] == {
        "stage": "cross-encoder",
        "outcome": "unavailable",
        "reason": "failed",
    }
    assert (pack["evidence"], pack["warnings"]) == (plain["evidence"], plain["warnings"])


def test_a_cross_encoder_that_hangs_costs_no_more_than_the_request_has(
    client: TestClient, scorer: FakeScorer
) -> None:
    scorer.hang_seconds = 3.0
    begun = time.monotonic()
    body = {**QUERY, "rerank": "cross-encoder", "timeout_ms": 1_000}
    pack = client.post("/v1/evidence", json=body).json()
    assert time.monotonic() - begun < 2.5
    assert pack["retrieval"]["rerank"]["reason"] == "timeout"
    assert pack["evidence"]
    # Some time is left for links.
    assert "graph-truncated" not in {warning["code"] for warning in pack["warnings"]}


def test_late_interaction_without_tokens_in_the_index_says_so(serve: Callable[..., TestClient]) -> None:
    answer = serve(rerank="maxsim").post("/v1/evidence", json=QUERY)
    assert answer.json()["retrieval"]["rerank"] == {
        "stage": "maxsim",
        "outcome": "unavailable",
        "reason": "token-vectors-missing",
    }
