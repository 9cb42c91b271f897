"""A service that is told to end: what is under way is finished, and nothing new is begun."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from runs import Gate, wait_until
from workbench import Workbench

from service.settings import Settings
from service.wiring import Application

WIKITRAIL = Path(sys.executable).parent / "wikitrail"
SCRIPT = Path(__file__).parents[1] / "support" / "serve_wiki.py"
TOKEN = "admin-37"
BODY = json.dumps({"query": "zorbtext"}).encode()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with its index."""
    root = tmp_path_factory.mktemp("wiki")
    (root / "a.md").write_text("# A\n\nzorbtext\n")
    settings = Settings(wikis={"default": {"root": root}}, embedder="none")
    asyncio.run(Application(settings).indexer().run())
    return root


class Service:
    """`wikitrail serve` in a process of its own, which logs requests as JSON."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        self.process = process
        place = urlsplit(json.loads(process.stdout.readline())["address"])
        self.address = place.hostname or "", place.port or 0

    def begin_request(self) -> socket.socket:
        """Sends a query but for its last byte, and returns once the service has begun with it."""
        connection = socket.create_connection(self.address, timeout=30)
        head = "POST /v1/evidence HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        length = f"Content-Length: {len(BODY)}\r\nExpect: 100-continue\r\n\r\n"
        connection.sendall((head + length).encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 100")
        connection.sendall(BODY[:-1])
        return connection

    def refuses(self) -> bool:
        """Says whether nobody listens any more."""
        try:
            socket.create_connection(self.address, timeout=30).close()
        except ConnectionRefusedError:
            return True
        return False

    def end(self) -> tuple[int, list[dict[str, object]]]:
        """Waits for the process to be gone, and returns its exit code and its log."""
        _, stderr = self.process.communicate(timeout=60)
        return self.process.returncode, [json.loads(line) for line in stderr.split("\n") if line]


@pytest.fixture
def service(root: Path) -> Iterator[Service]:
    command = [WIKITRAIL, "serve", root, "--port", "0", "--embedder", "none", "--json"]
    flags = ["--log-level", "info", "--log-format", "json"]
    with subprocess.Popen(
        [*command, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        yield Service(process)
        process.kill()


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_requests_under_way_are_answered_and_no_others_taken(service: Service, told: signal.Signals) -> None:
    with service.begin_request() as connection:
        service.process.send_signal(told)
        wait_until(service.refuses)
        connection.sendall(BODY[-1:])
        answer = connection.makefile("rb").read()
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert json.loads(body)["evidence"][0]["citation"]["path"] == "a.md"
    code, log = service.end()
    assert code == 0
    (request,) = (record for record in log if record["logger"] == "service.access")
    assert (request["route"], request["status"], request["answered_at"]) == ("/v1/evidence", 200, "lexical")
    assert f"x-request-id: {request['request_id']}\r\n".encode() in head.lower() + b"\r\n"


def test_a_request_that_does_not_end_is_waited_for_only_so_long(service: Service) -> None:
    with service.begin_request() as connection:
        service.process.send_signal(signal.SIGTERM)
        begun = time.monotonic()
        answer = connection.makefile("rb").read()
        assert 8 < time.monotonic() - begun < 15
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "shutting-down"
    code, log = service.end()
    assert code == 0
    assert [record["status"] for record in log if record["logger"] == "service.access"] == [503]


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_it_at_once(service: Service, told: signal.Signals) -> None:
    with service.begin_request():
        service.process.send_signal(told)
        wait_until(service.refuses)
        service.process.send_signal(told)
        assert service.process.wait(timeout=5) == -told


def test_an_index_run_and_those_who_follow_it_are_ended(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"a.md": "# A\n\nzorbtext\n"})
    gate = Gate(tmp_path)
    command = [sys.executable, str(SCRIPT), str(bench.root), TOKEN, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None
        address = service.stdout.readline().strip()
        headers = {"Authorization": f"Bearer {TOKEN}"}
        with httpx2.Client(base_url=address, headers=headers, timeout=60) as client:
            job = client.post("/v1/admin/reindex", json={}).json()
            child = gate.wait()
            events: list[str] = []
            with client.stream("GET", f"/v1/admin/jobs/{job['id']}/events") as stream:
                for line in stream.iter_lines():
                    if not events:
                        service.terminate()
                    events += [line] if line.startswith("event: ") else []
        assert service.wait(timeout=30) == 0
    assert events[-1] == "event: end"
    wait_until(lambda: not Path(f"/proc/{child}").exists())
