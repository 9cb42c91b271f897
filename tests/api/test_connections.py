"""Connections that send slowly, take slowly, or are too many."""

import http.client
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from fakes import FakeEmbedder
from starlette.types import Scope

from service import server
from service.http import admission
from service.http.app import create_app
from service.http.body import MAX_HEADER_BYTES, MAX_TARGET_BYTES
from service.server import listen, serve_beside
from service.settings import Settings
from service.wiring import Application

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
BODY = (
    b"POST /v1/evidence HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nContent-Length: 60\r\n\r\n"
)

Connect = Callable[[], socket.socket]


@contextmanager
def serving(wiki: Path, embedder: FakeEmbedder | None = None, **server: object) -> Iterator[Connect]:
    """Serves with these settings; gives what opens a connection."""
    settings = Settings(wikis={"default": {"root": wiki}}, server=server)
    listener = listen("127.0.0.1", 0)
    place = listener.getsockname()
    with ExitStack() as stack:
        stack.enter_context(
            serve_beside(create_app(Application(settings, embedder=embedder or FakeEmbedder())), listener)
        )

        def connect() -> socket.socket:
            return stack.enter_context(socket.create_connection(place, timeout=20))

        yield connect


def read_to_end(connection: socket.socket) -> bytes:
    """Returns what comes until the connection is closed."""
    read = b""
    try:
        while chunk := connection.recv(65_536):
            read += chunk
    except ConnectionResetError:
        pass
    return read


def ask(connection: socket.socket, request: bytes = REQUEST) -> http.client.HTTPResponse:
    """Sends a request and returns the answer, whose body is not read yet."""
    connection.sendall(request)
    response = http.client.HTTPResponse(connection)
    response.begin()
    return response


def problem_of(raw: bytes) -> tuple[bytes, str]:
    """Returns the status line and the code of an answer."""
    head, _, body = raw.partition(b"\r\n\r\n")
    assert b"content-type: application/problem+json" in head
    return head.split(b"\r\n")[0], json.loads(body)["code"]


@pytest.mark.parametrize("sent", [REQUEST[:-2], REQUEST[:5], BODY, BODY + b'{"query":'])
def test_a_request_that_does_not_arrive_is_given_up(wiki: Path, sent: bytes) -> None:
    with serving(wiki, request_timeout=0.3) as connect:
        connection = connect()
        connection.sendall(sent)
        assert problem_of(read_to_end(connection)) == (b"HTTP/1.1 408 ", "request-timeout")


def test_a_connection_without_a_request_is_closed(wiki: Path) -> None:
    with serving(wiki, request_timeout=0.3) as connect:
        assert read_to_end(connect()) == b""


@pytest.mark.parametrize("sent", [REQUEST[:-2], BODY])
def test_bytes_that_trickle_in_win_no_time(wiki: Path, sent: bytes) -> None:
    with serving(wiki, request_timeout=0.5) as connect:
        connection = connect()
        connection.sendall(sent)
        begun = time.monotonic()
        with pytest.raises(OSError):
            while time.monotonic() < begun + 10:
                connection.sendall(b"x")
                time.sleep(0.05)
        assert time.monotonic() - begun < 5


def test_a_second_request_has_its_own_time(wiki: Path) -> None:
    with serving(wiki, request_timeout=0.5) as connect:
        connection = connect()
        for _ in range(4):
            answer = ask(connection)
            assert (answer.status, answer.read()) == (200, b'{"status":"ok"}')
            time.sleep(0.3)
        connection.sendall(REQUEST[:7])
        assert problem_of(read_to_end(connection))[1] == "request-timeout"


def test_slow_requests_keep_nobody_from_being_answered(wiki: Path) -> None:
    with serving(wiki, max_running=1, max_waiting=0, max_connections=1_000) as connect:
        for number in range(200):
            connect().sendall(BODY if number % 2 else REQUEST[:-2])
        query = b'{"query": "zorbship"}'
        for request in (REQUEST, BODY.replace(b"60", str(len(query)).encode()) + query):
            answer = ask(connect(), request)
            assert answer.status == 200
            answer.read()


def test_a_query_whose_client_went_away_is_given_up(wiki: Path) -> None:
    embedder = FakeEmbedder()
    with serving(wiki, embedder, max_running=1, max_waiting=0) as connect:
        query = BODY.replace(b"60", b"21") + b'{"query": "zorbship"}'
        assert ask(connect(), query).status == 200
        embedder.slow_seconds = 1.5
        gone = connect()
        gone.sendall(query.replace(b"zorbship", b"zorbback"))
        time.sleep(0.2)
        assert ask(connect(), query).status == 503
        gone.close()
        time.sleep(0.2)
        assert ask(connect(), query).status == 200


def test_where_there_are_too_many_connections_the_oldest_idle_ones_are_closed(wiki: Path) -> None:
    with serving(wiki, max_connections=10) as connect:
        slow = [connect() for _ in range(50)]
        for connection in slow[-10:]:
            connection.sendall(REQUEST[:-2])
        answer = ask(connect())
        assert (answer.status, answer.read()) == (200, b'{"status":"ok"}')
        assert [read_to_end(connection) for connection in slow[:40]] == [b""] * 40


def test_answers_that_nobody_takes_are_cut_off(wiki: Path) -> None:
    with serving(wiki, request_timeout=1) as connect:
        connection = connect()
        connection.sendall(REQUEST.replace(b"/healthz", b"/openapi.json") * 500)
        time.sleep(3)
        read = read_to_end(connection)
    assert b"HTTP/1.1 200" in read
    assert read.count(b"HTTP/1.1 200") < 500


MANY_ANSWERS = REQUEST.replace(b"/healthz", b"/openapi.json") * 500


def test_answers_that_nobody_takes_hold_no_place(wiki: Path) -> None:
    with serving(wiki, max_running=1, max_waiting=0) as connect:
        for _ in range(3):
            connect().sendall(MANY_ANSWERS)
        time.sleep(1)
        assert ask(connect(), REQUEST.replace(b"/healthz", b"/v1/status")).status == 200


def test_answers_to_requests_in_a_row_are_all_sent_as_they_are_taken(wiki: Path) -> None:
    with serving(wiki) as connect:
        connection = connect()
        connection.sendall(MANY_ANSWERS + REQUEST[:-2] + b"Connection: close\r\n\r\n")
        time.sleep(0.5)
        read = read_to_end(connection)
    assert read.count(b"HTTP/1.1 200") == 501
    assert read.endswith(b'{"status":"ok"}')


def test_of_too_much_that_nobody_takes_the_oldest_is_cut_off(
    wiki: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_UNSENT_BYTES", 250_000)
    with serving(wiki) as connect:
        connections = [connect() for _ in range(6)]
        for connection in connections:
            connection.sendall(MANY_ANSWERS + REQUEST[:-2] + b"Connection: close\r\n\r\n")
            time.sleep(0.5)
        newest, oldest = (read_to_end(connections[place]) for place in (-1, 0))
    assert newest.count(b"HTTP/1.1 200") == 501
    assert oldest.count(b"HTTP/1.1 200") < 501


def test_what_stands_around_a_body_is_bounded(wiki: Path) -> None:
    head = BODY.replace(b"Content-Length: 60", b"Transfer-Encoding: chunked")
    body = b'{"query":"zorbship"}'
    with serving(wiki, max_body_bytes=1_000) as connect:
        chunks = b"".join(b"1;%s\r\n%c\r\n" % (b"x" * 1_000, character) for character in body)
        assert ask(connect(), head + chunks + b"0\r\n\r\n").status == 200
        connection = connect()
        connection.sendall(head + chunks * 6)
        assert problem_of(read_to_end(connection)) == (b"HTTP/1.1 413 ", "body-too-large")


def test_a_length_beside_chunks_is_refused_and_what_follows_is_not_read(wiki: Path) -> None:
    head = BODY.replace(b"Content-Length: 60", b"Content-Length: 5\r\nTransfer-Encoding: chunked")
    with serving(wiki) as connect:
        connection = connect()
        connection.sendall(head + b"0\r\n\r\n" + REQUEST)
        read = read_to_end(connection)
    assert problem_of(read) == (b"HTTP/1.1 400 Bad Request", "malformed-request")
    assert read.count(b"HTTP/1.1") == 1


@pytest.fixture(scope="module")
def connect(wiki: Path) -> Iterator[Connect]:
    """Opens connections to a service with the settings that it has by default."""
    with serving(wiki) as connect:
        yield connect


@pytest.mark.parametrize(
    ("request_", "status", "code"),
    [
        (b"nonsense\r\n\r\n", 400, "malformed-request"),
        (b"GET / HTTP/1.1\r\n\r\n", 400, "malformed-request"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "malformed-request"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", 400, "malformed-request"),
        (b"GET / HTTP/1.1\r\nHost: a\r\n" + b"x" * 100_000, 400, "malformed-request"),
        (b"GET /healthz HTTP/1.0\r\n\r\n", 403, "host-not-allowed"),
        (b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403, "host-not-allowed"),
        (b"GET http://localhost/healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403, "host-not-allowed"),
        (b"GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 404, "not-found"),
        (b"GET //healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 404, "not-found"),
        (REQUEST.replace(b"/healthz", b"/healthz?" + b"a" * MAX_TARGET_BYTES), 414, "target-too-long"),
        (REQUEST[:-2] + b"X: " + b"a" * MAX_HEADER_BYTES + b"\r\n\r\n", 431, "headers-too-large"),
        (REQUEST[:-2] + b"X: a\r\n" * 6_500 + b"\r\n", 431, "headers-too-large"),
    ],
)
def test_what_is_no_request_of_this_service(
    connect: Connect, request_: bytes, status: int, code: str
) -> None:
    answer = ask(connect(), request_)
    assert (answer.status, json.loads(answer.read())["code"]) == (status, code)


@pytest.mark.parametrize(("proxies", "seen"), [([], "127.0.0.1"), (["127.0.0.0/8"], "192.0.2.7")])
def test_forwarded_addresses_are_believed_from_known_proxies_alone(
    wiki: Path, proxies: list[str], seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a client would be as many clients as it likes."""
    clients: list[str] = []

    def note(scope: Scope) -> str:
        clients.append(scope["client"][0])
        return ""

    monkeypatch.setattr(admission, "_name_client", note)
    with serving(wiki, trusted_proxies=proxies) as connect:
        request = REQUEST.replace(b"/healthz", b"/v1/status")[:-2] + b"X-Forwarded-For: 192.0.2.7\r\n\r\n"
        assert ask(connect(), request).status == 200
    assert clients == [seen]
