"""Pages, sections, batches and links."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from service.wire.pages import MAX_BATCH


def test_a_page_is_read_verbatim_with_its_sections(client: TestClient) -> None:
    page = client.get("/v1/pages/ops/deploy.md").json()
    assert page["title"] == "Deploy"
    assert page["tags"] == ["runbook"]
    assert page["frontmatter"]["owner"] == "ada"
    assert (page["encoding"], page["language"]) == ("utf-8", "en")
    assert page["text"].startswith("---\ntags: [runbook]")
    assert (page["line_start"], page["line_end"], page["lines"]) == (1, 15, 15)
    assert [section["anchor"] for section in page["sections"]] == ["deploy", "rollback", "afterwards"]


def test_a_section_is_read_with_or_without_those_below(client: TestClient) -> None:
    where = {"heading_path": ["Deploy", "Rollback"]}
    whole = client.get("/v1/pages/ops/deploy.md", params=where).json()
    alone = client.get("/v1/pages/ops/deploy.md", params={**where, "children": False}).json()
    assert (whole["line_start"], whole["line_end"]) == (9, 15)
    assert "Tell everybody" in whole["text"]
    assert "Tell everybody" not in alone["text"]


def test_a_range_of_lines_is_read(client: TestClient) -> None:
    page = client.get("/v1/pages/ops/deploy.md", params={"line_start": 11, "line_end": 11}).json()
    assert page["text"] == "Run zorbback twice.\n"


def test_an_unknown_parameter_is_refused(client: TestClient) -> None:
    assert client.get("/v1/pages/index.md/links", params={"depth": 2}).status_code == 422


@pytest.mark.parametrize(
    ("parameters", "status"),
    [
        ({"anchor": "nope"}, 404),
        ({"heading_path": ["Rollback"]}, 404),
        ({"line_start": 99}, 404),
        ({"line_start": 0}, 422),
        ({"line_start": "x"}, 422),
        ({"line_start": 3, "line_end": 2}, 422),
        ({"line_start": 3, "anchor": "deploy"}, 422),
        ({"section": "deploy"}, 422),
        ({"wiki": "nope"}, 404),
    ],
)
def test_a_part_that_is_not_there_or_makes_no_sense(
    client: TestClient, parameters: dict[str, Any], status: int
) -> None:
    answer = client.get("/v1/pages/ops/deploy.md", params=parameters)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


TRAVERSALS = [
    "../secret.md",
    "..%2fsecret.md",
    "%2e%2e/secret.md",
    "%252e%252e%252fsecret.md",
    "..%5csecret.md",
    "/etc/hostname",
    "index.md/../../secret.md",
    "index.md%00.txt",
    "file:///etc/hostname",
    "....//secret.md",
    "~/.bashrc",
    "C:%5cWindows%5cwin.ini",
    "%ff%fe.md",
    "'%20OR%20'1'='1",
    "",
]


@pytest.mark.parametrize("path", TRAVERSALS)
def test_only_paths_of_pages_are_served(client: TestClient, path: str) -> None:
    answer = client.get(f"/v1/pages/{path}")
    assert answer.status_code == 404
    assert client.get(f"/v1/pages/{path}/links").status_code == 404


def test_links_and_backlinks(client: TestClient) -> None:
    home = client.get("/v1/pages/index.md/links").json()
    assert [(link["line"], link["target"], link["status"]) for link in home["links"]] == [
        (3, "deploy", "ambiguous"),
        (3, "ghost", "unresolved"),
    ]
    assert sorted(home["links"][0]["candidates"]) == ["ops-old/deploy.md", "ops/deploy.md"]
    assert home["backlinks"] == []


def test_a_page_called_links_is_a_page(client: TestClient) -> None:
    assert client.get("/v1/pages/links.md").json()["title"] == "Links"
    assert client.get("/v1/pages/links.md/links").json()["links"] == []


def test_a_batch_answers_each_item_in_order(client: TestClient) -> None:
    items = [
        {"path": "ops/deploy.md", "anchor": "rollback", "children": False},
        {"path": "nope.md"},
        {"path": "index.md", "heading_path": ["Nope"]},
        {"path": "li\nne #1 100%.md"},
    ]
    answer = client.post("/v1/pages/read", json={"pages": items})
    assert answer.status_code == 200
    first, second, third, fourth = answer.json()["pages"]
    assert (first["page"]["line_start"], first["error"]) == (9, None)
    assert (second["page"], second["error"]["code"], second["error"]["status"]) == (
        None,
        "page-not-found",
        404,
    )
    assert third["error"]["code"] == "section-not-found"
    assert fourth["page"]["title"] == "Odd name"


def test_parts_of_pages_in_any_order_are_answered_in_it(client: TestClient) -> None:
    lines = [("index.md", 1), ("ops/deploy.md", 9), ("index.md", 3), ("nope.md", 1), ("ops/deploy.md", 99)]
    items = [{"path": path, "line_start": line, "line_end": line} for path, line in lines]
    answers = client.post("/v1/pages/read", json={"pages": items}).json()["pages"]
    assert [entry["page"] and (entry["page"]["path"], entry["page"]["line_start"]) for entry in answers] == [
        ("index.md", 1),
        ("ops/deploy.md", 9),
        ("index.md", 3),
        None,
        None,
    ]
    codes = [entry["error"] and entry["error"]["code"] for entry in answers]
    assert codes == [None, None, None, "page-not-found", "section-not-found"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"pages": []}, "pages"),
        ({"pages": [{"path": "index.md"}] * (MAX_BATCH + 1)}, "pages"),
        ({"pages": [{"path": "index.md"}, {"path": "index.md", "line_start": True}]}, "pages[1].line_start"),
        ({"pages": [{"path": 1}]}, "pages[0].path"),
        ({"pages": [{}]}, "pages[0].path"),
        ({}, "pages"),
    ],
)
def test_a_wrong_batch_names_the_field(client: TestClient, body: dict[str, Any], field: str) -> None:
    answer = client.post("/v1/pages/read", json=body)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]
