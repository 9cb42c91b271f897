"""The API token."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

TOKEN = "tøken-73"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer é".encode("latin-1")},
        {"Authorization": f"Basic {TOKEN}".encode()},
        {"Authorization": f"{TOKEN}".encode()},
        {"X-Token": TOKEN.encode()},
    ],
)
def test_without_the_token_nothing_is_read(
    serve: Callable[..., TestClient], headers: dict[str, str | bytes]
) -> None:
    client = serve(api_token=TOKEN)
    for method, path in [
        ("POST", "/v1/evidence"),
        ("POST", "/v1/verify"),
        ("GET", "/v1/pages/index.md"),
        ("GET", "/v1/pages/index.md/links"),
        ("POST", "/v1/pages/read"),
        ("GET", "/v1/status"),
        ("GET", "/metrics"),
        ("GET", f"/v1/status?token={TOKEN}"),
    ]:
        answer = client.request(method, path, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"


def test_with_the_token_all_is_read(serve: Callable[..., TestClient]) -> None:
    client = serve(api_token=TOKEN)
    headers = {"Authorization": f"Bearer {TOKEN}".encode()}
    assert client.get("/v1/status", headers=headers).status_code == 200
    assert client.post("/v1/evidence", json={"query": "zorbship"}, headers=headers).status_code == 200


def test_probes_need_no_token(serve: Callable[..., TestClient]) -> None:
    client = serve(api_token=TOKEN)
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code == 200


def test_no_other_site_is_invited(client: TestClient) -> None:
    answer = client.get("/v1/status", headers={"Origin": "https://elsewhere.example"})
    assert "access-control-allow-origin" not in answer.headers
