"""The host and origin that a request names."""

import pytest

from service.authority import is_loopback, parse_host, parse_origin


@pytest.mark.parametrize(
    ("authority", "host"),
    [
        ("localhost", "localhost"),
        ("LocalHost:8123", "localhost"),
        ("localhost.", "localhost"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("[::1]", "::1"),
        ("[0:0:0:0:0:0:0:1]:8123", "::1"),
        ("[::ffff:127.0.0.1]", "127.0.0.1"),
        ("wiki_1.example.org", "wiki_1.example.org"),
        # Browsers send what these mean; whoever sends them as they are names no address.
        ("127.1", "127.1"),
        ("2130706433", "2130706433"),
    ],
)
def test_a_host_has_one_form(authority: str, host: str) -> None:
    assert parse_host(authority) == host


@pytest.mark.parametrize(
    "authority",
    [
        *("", ".", ":80", "localhost:", "localhost:x", "localhost:123456", "localhost:80:80", "a b", "a/b"),
        *("ada@localhost", "localhost,evil", "localhost\0", "localhost\n", "::1", "[::1", "[::1]x", "[evil]"),
        *("[fe80::1%25eth0]", "[127.0.0.1.evil]", "localhost:８0", "löcalhost", "%6cocalhost", "localhost\\"),
    ],
)
def test_what_is_no_host(authority: str) -> None:
    assert parse_host(authority) is None


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("http://localhost:3000", ("http", "localhost:3000")),
        ("HTTPS://Wiki.Example", ("https", "wiki.example")),
        ("http://[::1]:8123", ("http", "[::1]:8123")),
        ("null", None),
        ("", None),
        ("*", None),
        ("file://", None),
        ("http://", None),
        ("chrome-extension://abc", None),
        ("http://localhost/", None),
        ("http://localhost:8123\n", None),
        ("http://localhost@evil", None),
        ("http://evil#localhost", None),
    ],
)
def test_an_origin_is_scheme_and_host(text: str, origin: tuple[str, str] | None) -> None:
    assert parse_origin(text) == origin


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("localhost", False),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.0.7", False),
        ("", False),
    ],
)
def test_loopback_is_an_address(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected
