"""Which hosts the service answers to, and which sites may ask it from a browser."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from service.errors import InvalidSettings
from service.settings import load_settings

SITE = "https://wiki.example.org"
Serve = Callable[..., TestClient]


def ask(client: TestClient, headers: list[tuple[str, str]], *, server: str = "127.0.0.1") -> tuple[int, str]:
    """Returns status and code of an answer to a request with these headers over a connection to `server`."""
    client.base_url = client.base_url.copy_with(host=server)
    answer = client.get("/v1/status", headers=headers)
    return answer.status_code, answer.json().get("code", "")


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8123", "localhost", "LOCALHOST.:1", "[::1]:8123", "127.0.0.2", "[::ffff:7f00:1]"]
)
@pytest.mark.parametrize("server", ["127.0.0.1", "::1"])
def test_over_loopback_the_service_answers_to_names_of_this_machine(
    client: TestClient, server: str, host: str
) -> None:
    assert ask(client, [("host", host)], server=server) == (200, "")


REFUSED = [
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "192.168.0.7",
    "0.0.0.0",
    "::1",
]
REFUSED += ["", "localhost@evil.example", "evil.example:8123", "foo.localhost", "127.1"]


@pytest.mark.parametrize("host", REFUSED)
def test_over_loopback_no_other_name_is_answered(client: TestClient, host: str) -> None:
    assert ask(client, [("host", host)]) == (403, "host-not-allowed")


def test_the_host_is_named_exactly_once(client: TestClient) -> None:
    assert ask(client, [("host", "localhost"), ("host", "localhost")]) == (403, "host-not-allowed")


def test_every_route_asks_for_the_host(serve: Serve) -> None:
    client = serve(admin_token="x")
    for method, path in [
        ("GET", "/healthz"),
        ("GET", "/openapi.json"),
        ("POST", "/v1/evidence"),
        ("POST", "/v1/admin/reindex"),
        ("OPTIONS", "/v1/evidence"),
        ("GET", "/nope"),
    ]:
        client.base_url = client.base_url.copy_with(host="127.0.0.1")
        answer = client.request(method, path, headers={"host": "evil.example"})
        assert (answer.status_code, answer.json()["code"]) == (403, "host-not-allowed")


def test_names_can_be_added(serve: Serve) -> None:
    client = serve(server={"allowed_hosts": ["Wiki.Example.Org.", "2001:DB8::7"]})
    for host in ("wiki.example.org", "wiki.example.org:443", "[2001:db8::7]", "localhost"):
        assert ask(client, [("host", host)]) == (200, "")
    assert ask(client, [("host", "example.org")]) == (403, "host-not-allowed")


def test_elsewhere_any_name_will_do_unless_there_is_a_list(serve: Serve) -> None:
    assert ask(serve(), [("host", "any.example")], server="192.168.0.7") == (200, "")
    client = serve(server={"allowed_hosts": ["wiki.example.org"]})
    expected = {"wiki.example.org": 200, "192.168.0.7:8123": 200, "any.example": 403, "192.168.0.8": 403}
    for host, status in expected.items():
        assert ask(client, [("host", host)], server="192.168.0.7")[0] == status


@pytest.mark.parametrize(
    "origin",
    [
        *("https://evil.example", "null", "", "http://localhost:3000", "http://localhost", "file://"),
        *(
            "http://127.0.0.1:8123",
            f"{SITE}.evil.example",
            "chrome-extension://abc",
            "http://localhost:8123/",
        ),
    ],
)
def test_another_site_may_not_ask(client: TestClient, origin: str) -> None:
    headers = [("host", "localhost:8123"), ("origin", origin)]
    assert ask(client, headers) == (403, "origin-not-allowed")


@pytest.mark.parametrize("origin", ["http://localhost:8123", "https://LOCALHOST:8123"])
def test_the_service_s_own_pages_may_ask(client: TestClient, origin: str) -> None:
    assert ask(client, [("host", "localhost:8123"), ("origin", origin)]) == (200, "")


def test_two_origins_are_none(client: TestClient) -> None:
    headers = [("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://localhost")]
    assert ask(client, headers) == (403, "origin-not-allowed")


def test_a_site_that_was_let_in_may_ask_from_a_browser(serve: Serve) -> None:
    client = serve(server={"allowed_origins": [SITE.upper()]}, api_token="t")
    preflight = {
        "Origin": SITE,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    asked = client.options("/v1/evidence", headers=preflight)
    assert (asked.status_code, asked.headers["access-control-allow-origin"]) == (200, SITE)
    assert "access-control-allow-credentials" not in asked.headers
    answer = client.get("/v1/status", headers={"Origin": SITE, "Authorization": "Bearer t"})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, SITE)
    assert "Origin" in answer.headers["vary"]
    refused = client.options("/v1/evidence", headers=preflight | {"Origin": "https://evil.example"})
    assert refused.status_code == 403
    assert "access-control-allow-origin" not in refused.headers


def test_without_a_list_no_site_is_invited(client: TestClient) -> None:
    headers = {"Origin": "http://testserver", "Access-Control-Request-Method": "POST"}
    for answer in (
        client.get("/v1/status", headers=headers),
        client.options("/v1/evidence", headers=headers),
    ):
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("allowed_hosts", "*"),
        ("allowed_hosts", "wiki.example.org:80"),
        ("allowed_hosts", "https://wiki.example.org"),
        ("allowed_hosts", ""),
        ("allowed_origins", "*"),
        ("allowed_origins", "null"),
        ("allowed_origins", "wiki.example.org"),
        ("allowed_origins", f"{SITE}/"),
        ("trusted_proxies", "*"),
        ("trusted_proxies", "proxy"),
    ],
)
def test_what_cannot_be_a_name_is_refused_at_the_start(setting: str, value: str) -> None:
    with pytest.raises(InvalidSettings, match=setting):
        load_settings({"server": {setting: [value]}})


def test_every_answer_is_for_its_client_alone(client: TestClient) -> None:
    for path in ("/healthz", "/v1/status", "/nope", "/v1/pages/index.md", "/openapi.json"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
