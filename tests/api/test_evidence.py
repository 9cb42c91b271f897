"""`POST /v1/evidence`."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from retrieval.request import MAX_QUERY_LENGTH
from service.wire.pack import EvidenceAnswer


def ask(client: TestClient, query: str = "zorbship", **fields: Any) -> Any:
    return client.post("/v1/evidence", json={"query": query, **fields})


def paths(client: TestClient, **fields: Any) -> list[str]:
    """Returns the pages that hold the word of the query."""
    answer = ask(client, **{"mode": "lexical", "expand": {"hops": 0}, **fields})
    assert answer.status_code == 200, answer.text
    return [passage["citation"]["path"] for passage in answer.json()["evidence"]]


def test_an_answer_has_every_key_of_the_pack(client: TestClient) -> None:
    pack = ask(client, "zorbback", k=1).json()
    assert set(pack) == {
        *("version", "query", "wiki", "pack_id", "generation", "config_digest", "answerable", "retrieval"),
        *("evidence", "gaps", "budget", "warnings"),
    }
    assert set(pack["retrieval"]) == {"level", "steps", "lanes", "rerank", "coverage", "timings_ms"}
    (passage,) = pack["evidence"]
    assert set(passage) == {
        *("rank", "chunk_ids", "score", "origin", "text", "citation", "also_at", "via", "scores")
    }
    assert set(passage["scores"]) == {"dense", "lexical", "rerank", "graph"}
    citation = passage["citation"]
    assert set(citation) == {
        *(
            "path",
            "title",
            "heading_path",
            "anchor",
            "url",
            "line_start",
            "line_end",
            "char_start",
            "char_end",
        ),
        *("text_sha256", "page_sha256", "modified", "commit", "freshness"),
    }
    assert (citation["path"], citation["line_start"], citation["line_end"]) == ("ops/deploy.md", 9, 11)
    assert citation["heading_path"] == ["Deploy", "Rollback"]
    assert citation["freshness"] == "fresh"
    assert passage["text"] == "## Rollback\n\nRun zorbback twice."
    assert (pack["version"], pack["wiki"], pack["answerable"]) == (1, "default", True)


@pytest.mark.parametrize(
    ("request_fields", "stages"),
    [
        ({}, {"embedding", "lexical", "dense", "rerank", "graph"}),
        ({"mode": "lexical", "expand": {"hops": 0}}, {"lexical", "dense", "rerank"}),
    ],
)
def test_an_answer_tells_where_its_time_went(
    client: TestClient, request_fields: dict[str, object], stages: set[str]
) -> None:
    timings = ask(client, "zorbback", **request_fields).json()["retrieval"]["timings_ms"]
    assert set(timings) == {*stages, "evidence", "freshness", "total"}
    assert all(timings["total"] >= timings[stage] >= 0 for stage in timings)


def test_the_citation_url_leads_to_the_section(client: TestClient) -> None:
    citation = ask(client, "zorbback").json()["evidence"][0]["citation"]
    assert citation["url"] == "/v1/pages/ops/deploy.md#rollback"
    address, _, anchor = citation["url"].partition("#")
    page = client.get(address, params={"anchor": anchor, "children": False}).json()
    assert page["text"].startswith("## Rollback\n\nRun zorbback twice.")


def test_a_url_of_an_odd_name_is_percent_encoded_and_leads_there(client: TestClient) -> None:
    url = ask(client, "zorbodd").json()["evidence"][0]["citation"]["url"]
    assert url == "/v1/pages/li%0Ane%20%231%20100%25.md#odd-name"
    assert client.get(url.partition("#")[0]).json()["title"] == "Odd name"


def test_nothing_found_is_an_answer_with_a_warning(client: TestClient) -> None:
    answer = ask(client, "qqqqqq")
    assert answer.status_code == 200
    pack = EvidenceAnswer.model_validate(answer.json())
    assert not pack.answerable
    assert pack.evidence == []
    assert "no-relevant-evidence" in {warning.code for warning in pack.warnings}


@pytest.mark.parametrize("k", [0, -1, 101, 10**9, 1.5, 1.0, "ten", "1", True, None])
def test_k_is_a_whole_number_from_1_to_100(client: TestClient, k: object) -> None:
    answer = ask(client, k=k)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == ["k"]


@pytest.mark.parametrize("k", [1, 100])
def test_both_bounds_of_k_are_allowed(client: TestClient, k: int) -> None:
    assert ask(client, k=k).status_code == 200


BLANK = ["", " ", "\t\n", "\u3000", "\u200b", "\u2060\ufeff", "\u00ad", "\ufe0f", "\u115f\u3164", "\0"]


@pytest.mark.parametrize("query", BLANK, ids=ascii)
def test_a_query_without_anything_to_see_is_refused(client: TestClient, query: str) -> None:
    assert ask(client, query).status_code == 422


@pytest.mark.parametrize("query", ["!!!", "...", "\U0001f600", "the and of", "x\0y", "a" * MAX_QUERY_LENGTH])
def test_a_query_of_signs_or_stop_words_is_answered(client: TestClient, query: str) -> None:
    assert ask(client, query).status_code == 200


def test_a_query_that_is_too_long_is_refused_rather_than_cut(client: TestClient) -> None:
    assert ask(client, "a" * (MAX_QUERY_LENGTH + 1)).status_code == 422


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_tokens", 1),
        ("mode", "magic"),
        ("expand", {"hops": 9}),
        ("expand", {"depth": 1}),
        ("min_score", 1.5),
        ("nearest", 1),
        ("generation", 0),
        ("timeout_ms", 1),
        ("path_prefix", 3),
        ("filters", []),
        ("wiki", 3),
        ("top_k", 3),
    ],
)
def test_a_wrong_field_is_named(client: TestClient, field: str, value: object) -> None:
    answer = ask(client, **{field: value})
    assert answer.status_code == 422
    assert answer.json()["code"] == "invalid-request"
    (error,) = answer.json()["errors"]
    assert error["field"].startswith(field)


def test_all_wrong_fields_are_named_at_once(client: TestClient) -> None:
    errors = ask(client, k=0, mode="magic").json()["errors"]
    assert {error["field"] for error in errors} == {"k", "mode"}


def test_a_wrong_filter_names_its_place(client: TestClient) -> None:
    filters = {"type": "and", "filters": [{"type": "eq", "key": "tags", "value": 1}]}
    problem = ask(client, filters=filters).json()
    assert problem["code"] == "invalid-filter"
    assert [error["field"] for error in problem["errors"]] == ["filters.filters[0].value"]


def test_filters_and_prefix_narrow_the_search(client: TestClient) -> None:
    assert sorted(paths(client)) == ["ops-old/deploy.md", "ops/deploy.md"]
    assert paths(client, path_prefix="ops") == ["ops/deploy.md"]
    assert paths(client, filters={"type": "eq", "key": "tags", "value": "runbook"}) == ["ops/deploy.md"]
    assert paths(client, filters={"type": "ne", "key": "owner", "value": "ada"}) == ["ops-old/deploy.md"]


@pytest.mark.parametrize("prefix", ["ops/' OR '1'='1", "ops/') OR 1=1 --", "ops/%", "ops/\0", "op_"])
def test_a_prefix_is_a_value_and_never_a_predicate(client: TestClient, prefix: str) -> None:
    assert paths(client, path_prefix=prefix) == []


def test_a_prefix_that_leads_out_is_refused(client: TestClient) -> None:
    assert ask(client, path_prefix="ops/../..").status_code == 422


@pytest.mark.parametrize(
    ("fields", "code"), [({"wiki": "nope"}, "wiki-not-found"), ({"generation": 999}, "generation-missing")]
)
def test_what_is_not_there_is_a_404_with_its_code(
    client: TestClient, fields: dict[str, Any], code: str
) -> None:
    answer = ask(client, **fields)
    assert (answer.status_code, answer.json()["code"]) == (404, code)
