"""Running the HTTP service on a socket."""

import asyncio
import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from fastapi import FastAPI

from service.authority import is_loopback
from service.connections import BoundedProtocol, ConnectionLimits
from service.errors import AddressUnavailable
from service.http.body import MAX_HEADER_BYTES, MAX_TARGET_BYTES
from service.jobs.queue import JobQueue
from service.sections import ServerSettings

_SHUTDOWN_SECONDS = 10
"""How long requests under way may take to end once the service is told to."""

_SECONDS_TO_END = 20
"""How long the process may take to end altogether."""

_FRAMING_BYTES = 64_000
"""What may stand around the chunks of a body besides it."""

_UNSENT_BYTES = 200_000_000
"""What all clients together may have asked for and not taken yet."""

_log = logging.getLogger(__name__)


def listen(host: str, port: int) -> socket.socket:
    """Returns a socket that takes connections; port 0 picks a free one.

    Raises:
        AddressUnavailable: The port is in use, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise AddressUnavailable(
            f"cannot listen at {host} port {port} ({error.strerror}); choose another --port"
        ) from error


def address_of(listener: socket.socket) -> str:
    """Returns the address to open."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run_server(app: FastAPI, listener: socket.socket) -> None:
    """Serves until the process is told to stop; requests under way are finished first."""
    host, settings = listener.getsockname()[0], app.state.application.settings
    if settings.api_token is None and not is_loopback(host):
        _log.warning("whoever reaches %s can read all pages: set WIKITRAIL_API_TOKEN", address_of(listener))
    _make_server(app).run(sockets=[listener])


@contextmanager
def serve_beside(app: FastAPI, listener: socket.socket) -> Iterator[None]:
    """Serves in a thread as long as the block runs; requests wait until it is up."""
    server = _make_server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="http")
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()


class _Server(uvicorn.Server):
    """A server that ends in good order at the first signal, and at once at the second.

    In good order: it takes no more connections, finishes what is under way, and the process ends with 0.
    """

    def __init__(self, config: uvicorn.Config, jobs: JobQueue) -> None:
        super().__init__(config)
        self._jobs = jobs
        self._last_resort = threading.Timer(_SECONDS_TO_END, _end_process)
        self._last_resort.daemon = True

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serves until it is told to end; on its way out it waits for threads, whatever holds them up."""
        try:
            super().run(sockets)
        finally:
            self._last_resort.cancel()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  (a handler's signature)
        """Begins to shut down; while that lasts, dies of the signal, and runs of the index with it."""
        if self.should_exit:
            signal.signal(sig, signal.SIG_DFL)
            signal.raise_signal(sig)
        self.should_exit = True
        self._last_resort.start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends connections and jobs together: clients that follow a job are answered until it is over."""
        await asyncio.gather(super().shutdown(sockets), self._jobs.close())


def _end_process() -> None:
    _log.error("the service could not end in %d seconds, and is ended", _SECONDS_TO_END)
    os._exit(1)


def _make_server(app: FastAPI) -> uvicorn.Server:
    settings: ServerSettings = app.state.application.settings.server
    proxies = [str(network) for network in settings.trusted_proxies]

    class Protocol(BoundedProtocol):
        limits = ConnectionLimits(
            connections=settings.max_connections,
            request_bytes=MAX_TARGET_BYTES + MAX_HEADER_BYTES + settings.max_body_bytes + _FRAMING_BYTES,
            unsent_bytes=_UNSENT_BYTES,
            receive_seconds=settings.request_timeout,
            send_seconds=settings.request_timeout,
        )

    config = uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        # Without a configuration of its own the server logs where everything else does: to standard error.
        log_config=None,
        access_log=False,  # it has addresses with all that they ask for; the service's own has not
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies,
        h11_max_incomplete_event_size=MAX_TARGET_BYTES + MAX_HEADER_BYTES,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    return _Server(config, app.state.jobs)
