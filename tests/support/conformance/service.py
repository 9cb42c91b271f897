"""The HTTP surface in the words of the cases: searching, reading pages, asking for the state.

Every answer, whatever it is to, is searched for what must never leave the process.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2
from conformance.answers import Answer, to_request
from conformance.case import UnknownInstruction, demand
from fastapi.testclient import TestClient

from service.http.app import create_app
from service.wiring import Application

SEARCH = "/v1/evidence"
DOCUMENT = "/v1/pages/"
REINDEX = "/v1/admin/reindex"
JOBS = "/v1/admin/jobs"
STATUS = "/v1/status"
HEALTH = "/healthz"

ADMIN_TOKEN = "tøken-of-the-cases"
"""The admin token of every service of a case."""

_PLACES = {"<search>": SEARCH, "<document>": DOCUMENT, "<reindex>": REINDEX}
_TRACE = "Traceback"


class Service:
    """Requests to one process, sent by `send`. `secrets` must not occur in any answer."""

    def __init__(self, send: Callable[..., Any], *, secrets: tuple[str, ...]) -> None:
        self._send = send
        self._secrets = secrets

    def request(self, method: str, path: str, **rest: Any) -> Answer:
        """Sends a request; `path` is percent-encoded."""
        begun = time.perf_counter()
        response = self._send(method, path, **rest)
        answer = Answer(
            status=response.status_code,
            text=response.text,
            content_type=response.headers.get("content-type", ""),
            seconds=time.perf_counter() - begun,
        )
        return self.checked(answer)

    def administer(self, method: str, path: str) -> Answer:
        """Sends a request with the admin token."""
        return self.request(method, path, headers={"Authorization": f"Bearer {ADMIN_TOKEN}".encode()})

    def search(self, body: Mapping[str, Any]) -> Answer:
        """Sends a search in the words of the cases."""
        return self.request("POST", SEARCH, json=to_request(body))

    def document(self, path: str) -> Answer:
        """Fetches a page by its path."""
        # A client takes "../" out of an address before it is sent, so the separators are encoded as well.
        return self.request("GET", DOCUMENT + quote(path, safe=""))

    def links(self, path: str) -> dict[str, Any]:
        """Returns the links and neighbours of a page."""
        answer = self.request("GET", f"{DOCUMENT}{quote(path, safe='')}/links")
        demand(answer.status == 200, f"the links of {path!r} answer {answer.status}: {answer.text}")
        return dict(answer.json)

    def state(self) -> dict[str, Any]:
        """Returns the state of the wiki."""
        answer = self.request("GET", STATUS)
        demand(answer.status == 200, f"the state answers {answer.status}: {answer.text}")
        (wiki,) = answer.json["wikis"]
        return dict(wiki)

    def checked(self, answer: Answer) -> Answer:
        """Returns the answer if it holds nothing that must stay inside."""
        for secret in (*self._secrets, _TRACE):
            demand(secret not in answer.text, f"an answer holds {secret!r}: {answer.text[:500]}")
        return answer


class LocalService(Service):
    """The service in this process, on an event loop of its own."""

    def __init__(
        self, application: Application, *, run_command: Sequence[str], secrets: tuple[str, ...]
    ) -> None:
        self._application = application
        app = create_app(application, run_command=run_command)
        self._running = TestClient(app, raise_server_exceptions=False)
        self._running.__enter__()
        super().__init__(self._running.request, secrets=secrets)

    def start_run(self) -> "Future[Any]":
        """Starts an index run on the very event loop that answers requests."""
        portal = self._running.portal
        if portal is None:
            raise RuntimeError("the service is not running")
        return portal.start_task_soon(self._application.indexer().run)

    def close(self) -> None:
        """Stops the service."""
        self._running.__exit__(None, None, None)


class RemoteService(Service):
    """The service in another process."""

    def __init__(self, url: str, *, secrets: tuple[str, ...]) -> None:
        self._url = urlsplit(url)
        self._http = httpx2.Client(base_url=url, timeout=30)
        super().__init__(self._http.request, secrets=secrets)

    def get_verbatim(self, target: str) -> Answer:
        """Sends GET with a target that no client has put in order."""
        begun = time.perf_counter()
        connection = HTTPConnection(self._url.hostname or "", self._url.port, timeout=30)
        try:
            connection.putrequest("GET", target, skip_host=True)
            connection.putheader("Host", "localhost")
            connection.endheaders()
            response = connection.getresponse()
            text = response.read().decode("utf-8", "replace")
        finally:
            connection.close()
        answer = Answer(
            status=response.status,
            text=text,
            content_type=response.headers.get("content-type", ""),
            seconds=time.perf_counter() - begun,
        )
        return self.checked(answer)

    def close(self) -> None:
        """Lets go of the connections."""
        self._http.close()


def to_place(name: str) -> str:
    """Returns the path of an endpoint that the cases name `<search>`, `<document>` or `<reindex>`."""
    if name.startswith("<") and name not in _PLACES:
        raise UnknownInstruction(f"unknown endpoint: {name}")
    return _PLACES.get(name, name)
