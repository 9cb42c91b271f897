"""Running the HTTP service on a socket."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from service.errors import AddressUnavailable

_SHUTDOWN_SECONDS = 10


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
    """A server that ends the index jobs before it waits for its clients, some of whom wait for those."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends jobs, then connections."""
        app = self.config.app
        if isinstance(app, FastAPI):
            await app.state.jobs.close()
        await super().shutdown(sockets)


def _make_server(app: FastAPI) -> uvicorn.Server:
    # Without a configuration of its own the server logs where everything else does: to standard error.
    config = uvicorn.Config(
        app, log_config=None, server_header=False, timeout_graceful_shutdown=_SHUTDOWN_SECONDS
    )
    return _Server(config)
