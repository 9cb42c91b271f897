"""The service on a real socket."""

import http.client
import json
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fakes import FakeEmbedder

from service.errors import AddressUnavailable
from service.http.app import create_app
from service.server import address_of, listen, serve_beside
from service.settings import Settings
from service.wiring import Application


def test_a_service_on_a_free_port_answers_also_to_raw_paths(wiki: Path) -> None:
    app = create_app(Application(Settings(wikis={"default": {"root": wiki}}), embedder=FakeEmbedder()))
    listener = listen("127.0.0.1", 0)
    place = urlsplit(address_of(listener))
    with serve_beside(app, listener):
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=30)
        body = json.dumps({"query": "zorbback"})
        connection.request("POST", "/v1/evidence", body, {"Content-Type": "application/json"})
        pack = json.loads(connection.getresponse().read())
        connection.request("GET", "/v1/pages/../../etc/hostname")
        escape = connection.getresponse()
        escape.read()
        connection.request("POST", "/v1/evidence", b"a" * 3_000_000, {"Content-Type": "application/json"})
        refused = connection.getresponse()
        connection.close()
    assert pack["evidence"][0]["citation"]["path"] == "ops/deploy.md"
    assert (escape.status, refused.status) == (404, 413)
    with pytest.raises(OSError), socket.create_connection((place.hostname or "", place.port or 0), timeout=1):
        pass


def test_a_port_in_use_is_named() -> None:
    with listen("127.0.0.1", 0) as taken, pytest.raises(AddressUnavailable, match="choose another --port"):
        listen("127.0.0.1", taken.getsockname()[1])
