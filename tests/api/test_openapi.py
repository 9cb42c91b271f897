"""The OpenAPI document."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import BaseModel

from service.wire.admin import ReindexBody
from service.wire.evidence import EvidenceBody
from service.wire.pack import EvidenceAnswer
from service.wire.pages import BatchBody
from service.wire.problem import Problem
from service.wire.verify import VerifyAnswer, VerifyBody


@pytest.fixture
def document(client: TestClient) -> dict[str, Any]:
    content: dict[str, Any] = client.get("/openapi.json").json()
    return content


def test_every_route_is_described(document: dict[str, Any]) -> None:
    assert set(document["paths"]) == {
        "/v1/evidence",
        "/v1/verify",
        "/v1/pages/{path}",
        "/v1/pages/{path}/links",
        "/v1/pages/read",
        "/v1/status",
        "/v1/admin/reindex",
        "/v1/admin/jobs",
        "/v1/admin/jobs/{job_id}",
        "/v1/admin/jobs/{job_id}/events",
        "/v1/admin/generations",
        "/v1/admin/generations/{number}/activate",
        "/metrics",
        "/healthz",
        "/readyz",
    }
    for operations in document["paths"].values():
        assert all(operation["description"] for operation in operations.values())


def test_every_error_is_a_problem(document: dict[str, Any]) -> None:
    schema = {"$ref": "#/components/schemas/Problem"}
    for operations in document["paths"].values():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                if int(status) >= 400:
                    assert response["content"] == {"application/problem+json": {"schema": schema}}
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_the_events_of_a_job_are_a_stream(document: dict[str, Any]) -> None:
    answer = document["paths"]["/v1/admin/jobs/{job_id}/events"]["get"]["responses"]["200"]
    assert list(answer["content"]) == ["text/event-stream"]


def test_admin_routes_ask_for_a_token_of_their_own(document: dict[str, Any]) -> None:
    for path, operations in document["paths"].items():
        for operation in operations.values():
            expected = [{"admin-token": []}] if path.startswith("/v1/admin/") else [{"api-token": []}]
            assert operation.get("security", []) == ([] if path in ("/healthz", "/readyz") else expected)


@pytest.mark.parametrize(
    "model", [EvidenceBody, BatchBody, EvidenceAnswer, Problem, ReindexBody, VerifyBody, VerifyAnswer]
)
def test_the_examples_are_valid(model: type[BaseModel]) -> None:
    examples = model.model_json_schema()["examples"]
    assert examples
    for example in examples:
        model.model_validate(example)
