"""A chat endpoint on loopback whose answers are scripted."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from fakes import count_shared

PROVIDER_TEXT = "words-of-the-provider"
"""Stands in everything that the server says beside its choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An HTTP answer; `wait` holds it back so many seconds, or until the server closes."""

    body: bytes
    status: int = 200
    wait: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a client sent."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def question(self) -> Mapping[str, Any]:
        """The JSON object in the message of the user."""
        question: Mapping[str, Any] = json.loads(self.body["messages"][-1]["content"])
        return question


Script = Callable[[Request], Reply]


def completion(message: Mapping[str, Any]) -> bytes:
    """Returns a chat completion with this message of the model."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    whole = {
        "id": PROVIDER_TEXT,
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
    }
    return json.dumps(whole).encode()


def say(content: str) -> Script:
    """The model says this."""
    return lambda _: Reply(body=completion({"content": content}))


def fail(status: int) -> Script:
    """The server refuses, and quotes the key as providers do."""

    def answer(request: Request) -> Reply:
        text = f"{PROVIDER_TEXT}: wrong key {request.headers.get('authorization')}"
        return Reply(body=json.dumps({"error": {"message": text}}).encode(), status=status)

    return answer


def choose_by_words(request: Request) -> Reply:
    """An honest model: the pages that share words with the question, most first."""
    question = request.question
    shared = {
        entry["id"]: count_shared(question["question"], f"{entry['title']} {entry['summary']}")
        for entry in question["catalogue"]
    }
    ranked = sorted((name for name in shared if shared[name]), key=lambda name: -shared[name])
    content = json.dumps({"pages": ranked[: question["at_most"]]})
    return Reply(body=completion({"content": content}))


@dataclass(slots=True)
class ChatServer:
    """Serves `script` at `base_url` while it is entered, and keeps what it was asked."""

    script: Script = choose_by_words
    requests: list[Request] = field(default_factory=list)
    _closing: threading.Event = field(default_factory=threading.Event)
    _server: ThreadingHTTPServer = field(init=False)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        chat = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(path=self.path, headers=headers, body=json.loads(content))
                chat.requests.append(request)
                reply = chat.script(request)
                if reply.wait and chat._closing.wait(reply.wait):
                    return
                self.send_response(reply.status, PROVIDER_TEXT)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(reply.body)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(reply.body)
                except ConnectionError:  # the client has had enough
                    self.close_connection = True

            def log_message(self, format: str, *arguments: object) -> None:
                """Keeps stderr clean."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
