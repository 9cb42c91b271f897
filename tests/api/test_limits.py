"""Bounds on what one request may ask for."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from retrieval.filters import (
    MAX_ALL_VALUES,
    MAX_COMPARISONS,
    MAX_DEPTH,
    MAX_RANGES,
    MAX_TEXT_LENGTH,
    MAX_VALUES,
)
from retrieval.pages import OpenPage, open_page
from retrieval.store import Snapshot
from service.http import pages
from service.settings import Settings
from service.wire.pages import MAX_LINKS, MAX_SECTIONS
from service.wiring import Application

Filter = dict[str, Any]
EQUAL: Filter = {"type": "eq", "key": "owner", "value": "ada"}


def nest(filters: Filter, levels: int) -> Filter:
    for _ in range(levels):
        filters = {"type": "and", "filters": [filters]}
    return filters


def spread(counts: list[int]) -> Filter:
    return {"type": "or", "filters": [{"type": "and", "filters": [EQUAL] * count} for count in counts]}


def list_values(*counts: int) -> Filter:
    lists = [{"type": "in", "key": "owner", "value": ["x"] * count} for count in counts]
    return {"type": "or", "filters": lists}


def list_ranges(count: int) -> Filter:
    ranges = [{"type": "gt", "key": "weight", "value": number} for number in range(count)]
    columns = [{"type": "lt", "key": key, "value": "2026-01-01"} for key in ("modified", "path")]
    return {"type": "or", "filters": [*ranges, *columns]}


WITHIN: dict[str, Filter] = {
    "deep": nest(EQUAL, MAX_DEPTH - 1),
    "many comparisons": spread([MAX_COMPARISONS // 2] * 2),
    "many values": {"type": "in", "key": "owner", "value": ["x"] * MAX_VALUES},
    "many values in many lists": list_values(*[MAX_VALUES] * (MAX_ALL_VALUES // MAX_VALUES)),
    "many ranges": list_ranges(MAX_RANGES),
    "long value": {**EQUAL, "value": "'" * MAX_TEXT_LENGTH},
    "long key": {**EQUAL, "key": "'" * MAX_TEXT_LENGTH},
}
BEYOND: dict[str, Filter] = {
    "deeper": nest(EQUAL, MAX_DEPTH),
    "far too deep": nest(EQUAL, 300),
    "more comparisons": spread([MAX_COMPARISONS // 2] * 2 + [1]),
    "longer list": {"type": "or", "filters": [EQUAL] * (MAX_COMPARISONS + 1)},
    "more values": {"type": "in", "key": "owner", "value": ["x"] * (MAX_VALUES + 1)},
    "more values in many lists": list_values(*[MAX_VALUES] * (MAX_ALL_VALUES // MAX_VALUES), 1),
    "more ranges": list_ranges(MAX_RANGES + 1),
    "nothing right": {"type": "or", "filters": [{"type": "or", "filters": [nest({}, 2)] * 100}] * 100},
    "only unknown keys": {str(number): 0 for number in range(50_000)},
    "endless key": {**EQUAL, "x" * 500_000: 0},
    "longer value": {**EQUAL, "value": "x" * (MAX_TEXT_LENGTH + 1)},
    "longer key": {**EQUAL, "key": "x" * (MAX_TEXT_LENGTH + 1)},
    "no values": {"type": "in", "key": "owner", "value": []},
    "no filters": {"type": "and", "filters": []},
    "integer beyond every float": {**EQUAL, "value": 10**400},
    "time beyond every calendar": {"type": "gt", "key": "modified", "value": "99999-01-01"},
    "lone surrogate": {**EQUAL, "value": "\ud800"},
    "surrogate as key": {**EQUAL, "key": "\udfff"},
}


def ask(client: TestClient, filters: Filter) -> Any:
    body = json.dumps({"query": "zorbship", "filters": filters})
    return client.post("/v1/evidence", content=body, headers={"content-type": "application/json"})


@pytest.mark.parametrize("filters", WITHIN.values(), ids=WITHIN)
def test_a_filter_at_its_bounds_is_answered(client: TestClient, filters: Filter) -> None:
    assert ask(client, filters).status_code == 200


@pytest.mark.parametrize("filters", BEYOND.values(), ids=BEYOND)
def test_a_filter_beyond_its_bounds_is_refused(client: TestClient, filters: Filter) -> None:
    answer = ask(client, filters)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-filter")
    assert len(answer.content) < 10_000


MANY = {f"f{number}": 0 for number in range(50_000)}


@pytest.mark.parametrize(
    ("route", "body", "field"),
    [
        ("evidence", {"query": "zorbship", **MANY}, "body"),
        ("evidence", {"query": "zorbship", "expand": MANY}, "expand"),
        ("verify", {"citations": [MANY]}, "citations[0]"),
        ("verify", {"citations": [{"path": "a.md", "heading_path": [0] * 300_000}]}, None),
        ("pages/read", {"pages": [{"path": "a.md", "heading_path": [0] * 300_000}]}, None),
        ("pages/read", {"pages": [{"path": "a.md", "heading_path": ["x"] * 51}]}, "pages[0].heading_path"),
    ],
)
def test_of_very_much_that_is_wrong_little_is_told(
    client: TestClient, route: str, body: dict[str, Any], field: str | None
) -> None:
    answer = client.post(f"/v1/{route}", json=body)
    problem = answer.json()
    assert (answer.status_code, problem["code"], len(problem["errors"])) == (422, "invalid-request", 1)
    assert field is None or problem["errors"][0]["field"] == field


@pytest.mark.parametrize("value", ["1e400", "-1e400", "NaN", "Infinity", "-Infinity", "1e-400", "0" * 5_000])
def test_odd_numbers_are_answered_or_refused(client: TestClient, value: str) -> None:
    for field in (f'"min_score":{value}', f'"filters":{{"type":"gt","key":"n","value":{value}}}'):
        answer = client.post(
            "/v1/evidence",
            content=f'{{"query":"zorbship",{field}}}',
            headers={"content-type": "application/json"},
        )
        assert answer.status_code == (200 if value == "1e-400" else 400 if value[:2] == "00" else 422)


def test_of_a_key_that_comes_twice_the_last_counts(client: TestClient) -> None:
    body = b'{"query":"zorbback","k":0,"k":1}'
    answer = client.post("/v1/evidence", content=body, headers={"content-type": "application/json"})
    assert len(answer.json()["evidence"]) == 1


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wiki in which more pages lead to one, and away from it, than one answer lists."""
    root = tmp_path_factory.mktemp("hub")
    names = [f"p{number:04}" for number in range(MAX_LINKS + 50)]
    (root / "hub.md").write_text("# Hub\n\n" + "\n\n".join(f"[[{name}]]" for name in names), encoding="utf-8")
    for name in names:
        (root / f"{name}.md").write_text(f"# {name}\n\n[[hub]]\n", encoding="utf-8")
    settings = Settings(wikis={"default": {"root": root}}, embedder="none")
    asyncio.run(Application(settings).indexer().run())
    return root


def test_the_links_of_a_hub_are_read_in_parts(hub: Path, serve: Callable[..., TestClient]) -> None:
    client = serve(wikis={"default": {"root": hub}})
    count = MAX_LINKS + 50
    first = client.get("/v1/pages/hub.md/links").json()
    rest = client.get("/v1/pages/hub.md/links", params={"offset": MAX_LINKS}).json()
    for name in ("links", "backlinks", "neighbours"):
        assert (len(first[name]), len(rest[name]), first["total"][name]) == (MAX_LINKS, 50, count)
    assert [link["page"] for link in first["links"] + rest["links"]] == first["neighbours"] + rest[
        "neighbours"
    ]
    few = client.get("/v1/pages/hub.md/links", params={"limit": 2, "offset": 3}).json()
    assert [link["path"] for link in few["backlinks"]] == ["p0003.md", "p0004.md"]
    assert client.get("/v1/pages/hub.md/links", params={"offset": 10**6}).json()["links"] == []


def test_of_the_sections_of_a_page_the_first_are_listed(
    tmp_path: Path, serve: Callable[..., TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the answer is a hundred times as long as the page, and that of a batch fifty times that."""
    count, opened = MAX_SECTIONS + 20, []
    (tmp_path / "all.md").write_text("".join(f"# s{number}\n" for number in range(count)), encoding="utf-8")
    settings = Settings(wikis={"default": {"root": tmp_path}}, embedder="none")
    asyncio.run(Application(settings).indexer().run())
    client = serve(wikis={"default": {"root": tmp_path}})
    page = client.get("/v1/pages/all.md", params={"anchor": f"s{count - 1}"}).json()
    assert (page["text"], page["section_count"]) == (f"# s{count - 1}\n", count)
    assert [section["anchor"] for section in page["sections"]] == [
        f"s{place}" for place in range(MAX_SECTIONS)
    ]

    async def note(snapshot: Snapshot, path: str) -> OpenPage:
        opened.append(path)
        return await open_page(snapshot, path)

    monkeypatch.setattr(pages, "open_page", note)
    body = {"pages": [{"path": "all.md", "line_start": line, "line_end": line} for line in range(1, 51)]}
    assert len(client.post("/v1/pages/read", json=body).json()["pages"]) == 50
    assert opened == ["all.md"]


@pytest.mark.parametrize(("name", "value"), [("limit", 0), ("limit", MAX_LINKS + 1), ("offset", -1)])
def test_no_other_part_is_read(client: TestClient, name: str, value: int) -> None:
    assert client.get("/v1/pages/index.md/links", params={name: value}).status_code == 422


def test_a_batch_ends_where_it_has_too_much_text(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    length = len(client.get("/v1/pages/ops/deploy.md").json()["text"])
    monkeypatch.setattr(pages, "MAX_BATCH_CHARS", 2 * length + 10)
    items = [{"path": "ops/deploy.md"}] * 4 + [{"path": "ops/deploy.md", "line_start": 6, "line_end": 6}]
    answers = client.post("/v1/pages/read", json={"pages": items}).json()["pages"]
    assert [(entry["error"] or {}).get("status") for entry in answers] == [None, None, 413, 413, None]
    assert answers[2]["error"]["code"] == "batch-too-large"
    assert answers[4]["page"]["line_start"] == 6
