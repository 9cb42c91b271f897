"""What is counted and measured, as Prometheus reads it."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes import FakeEmbedder
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from retrieval.reader import IndexReader
from service.observability import readings

Sample = Callable[..., float | None]


def scrape(client: TestClient) -> Sample:
    """Returns what gives the value of a sample by name and labels, None where there is none."""
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    samples = {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }

    def value(name: str, **labels: str) -> float | None:
        return samples.get((name, frozenset(labels.items())))

    return value


def ask(client: TestClient, query: str = "zorbback", **fields: object) -> None:
    assert client.post("/v1/evidence", json={"query": query, **fields}).status_code == 200


def test_queries_are_counted_by_level_and_answer(client: TestClient) -> None:
    before = scrape(client)
    assert before("wikitrail_queries_total", wiki="default", level="chunk", answerable="true") == 0
    for _ in range(3):
        ask(client)
    ask(client, "nothing of this is there")
    ask(client, mode="lexical")
    value = scrape(client)
    assert value("wikitrail_queries_total", wiki="default", level="chunk", answerable="true") == 3
    assert value("wikitrail_queries_total", wiki="default", level="chunk", answerable="false") == 1
    assert value("wikitrail_queries_total", wiki="default", level="lexical", answerable="true") == 1
    assert value("wikitrail_warnings_total", wiki="default", code="no-relevant-evidence") == 1
    assert value("wikitrail_warnings_total", wiki="default", code="embedding-degraded") == 0
    assert value("wikitrail_query_duration_seconds_count", wiki="default") == 5
    stages = {
        "embedding": 4,
        "lexical": 5,
        "dense": 5,
        "rerank": 5,
        "evidence": 5,
        "freshness": 5,
        "total": None,
    }
    for stage, count in stages.items():
        assert value("wikitrail_query_stage_duration_seconds_count", stage=stage) == count
    assert 0 < (value("wikitrail_query_stage_duration_seconds_sum", stage="dense") or 0) < 60


def test_what_the_embedder_lacks_is_counted_and_shown(serve: Callable[..., TestClient]) -> None:
    embedder = FakeEmbedder()
    embedder.raising = True
    client = serve(embedder)
    ask(client)
    value = scrape(client)
    assert value("wikitrail_degraded_queries_total", wiki="default", reason="embedder-unavailable") == 1
    assert value("wikitrail_degraded_queries_total", wiki="default", reason="disabled") == 0
    assert value("wikitrail_warnings_total", wiki="default", code="embedding-degraded") == 1
    assert value("wikitrail_embedder_breaker_open") == 1
    assert value("wikitrail_embedder_state", state="embedder-unavailable") == 1
    assert value("wikitrail_embedder_state", state="ready") == 0
    embedder.recover()
    ask(client)
    value = scrape(client)
    assert (value("wikitrail_embedder_breaker_open"), value("wikitrail_embedder_state", state="ready")) == (
        0,
        1,
    )
    assert value("wikitrail_degraded_queries_total", wiki="default", reason="embedder-unavailable") == 1


def test_requests_are_counted_by_route_and_never_by_address(client: TestClient) -> None:
    for path in ("/v1/pages/index.md", "/v1/pages/ops/deploy.md", "/v1/pages/none.md", "/v1/pages/a/links"):
        client.get(path)
    client.get("/elsewhere/1")
    client.get("/elsewhere/2")
    client.request("BREW", "/v1/status")
    client.post("/v1/evidence", content=b"{", headers={"content-type": "application/json"})
    value = scrape(client)

    def requests(route: str, status: str, method: str = "GET") -> float | None:
        return value("wikitrail_http_requests_total", route=route, status=status, method=method)

    assert requests("/v1/pages/{path}", "200") == 2
    assert requests("/v1/pages/{path}", "404") == 1
    assert requests("/v1/pages/{path}/links", "404") == 1
    assert requests("none", "404") == 2
    assert requests("/v1/status", "405", "other") == 1
    assert requests("/v1/evidence", "400", "POST") == 1
    assert value("wikitrail_http_request_duration_seconds_count", route="none", method="GET") == 2
    assert value("wikitrail_http_requests_in_flight") == 1  # the one that looks


def test_the_index_is_told_as_it_is_when_somebody_looks(client: TestClient) -> None:
    value = scrape(client)
    status = client.get("/v1/status").json()["wikis"][0]
    assert value("wikitrail_wiki_up", wiki="default") == 1
    assert value("wikitrail_index_generation", wiki="default") == status["generation"]
    assert value("wikitrail_index_pages", wiki="default") == 5
    assert value("wikitrail_index_chunks", wiki="default") == 7
    assert value("wikitrail_index_chunk_vectors", wiki="default", state="embedded") == 7
    assert value("wikitrail_index_chunk_vectors", wiki="default", state="pending") == 0
    assert value("wikitrail_index_failed_pages", wiki="default") == 0
    assert value("wikitrail_index_created_timestamp_seconds", wiki="default") == pytest.approx(1.9e9, rel=0.2)
    assert (value("process_resident_memory_bytes") or 0) > 1e6


def test_a_wiki_that_cannot_be_read_hides_nothing_of_the_others(
    serve: Callable[..., TestClient], wiki: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(wiki, damaged)
    for file in (damaged / ".wikitrail").rglob("*.manifest"):
        file.write_bytes(b"no longer what it was")
    wikis = {"good": wiki, "missing": tmp_path / "missing", "damaged": damaged, "slow": tmp_path / "slow"}
    client = serve(wikis={name: {"root": root} for name, root in wikis.items()}, default_wiki="good")
    read = IndexReader.read

    async def read_slowly(reader: IndexReader, use: object, **options: object) -> object:
        if reader is client.app.state.application.wiki("slow").reader:
            await asyncio.sleep(60)
        return await read(reader, use, **options)

    monkeypatch.setattr(IndexReader, "read", read_slowly)
    monkeypatch.setattr(readings, "READ_SECONDS", 0.5)
    value = scrape(client)
    assert [value("wikitrail_wiki_up", wiki=name) for name in wikis] == [1, 0, 0, 0]
    assert value("wikitrail_index_pages", wiki="good") == 5
    assert value("wikitrail_index_pages", wiki="damaged") is None


def test_nothing_of_the_machine_or_of_queries_is_told(serve: Callable[..., TestClient], wiki: Path) -> None:
    client = serve(api_token="sesame")
    headers = {"Authorization": "Bearer sesame"}
    client.post("/v1/evidence", json={"query": "zorbsecret"}, headers=headers)
    client.get("/v1/pages/zorbpage.md", headers=headers)
    text = client.get("/metrics", headers=headers).text
    assert 'route="/v1/evidence",status="200"' in text
    assert not [word for word in ("secret", "zorb", "sesame", str(wiki.parent)) if word in text]


def test_services_in_one_process_count_for_themselves(serve: Callable[..., TestClient]) -> None:
    busy, idle = serve(), serve()
    ask(busy)
    labels = {"wiki": "default", "level": "chunk", "answerable": "true"}
    assert scrape(busy)("wikitrail_queries_total", **labels) == 1
    assert scrape(idle)("wikitrail_queries_total", **labels) == 0
