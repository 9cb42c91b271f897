"""The bounds on the size of a request."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.http.refusals import refuse

MAX_TARGET_BYTES = 16_000
"""Address and parameters, as they are sent: room for the longest path of a page, percent-encoded."""

MAX_HEADER_BYTES = 32_000
"""All headers together, as they are sent."""

# What follows on the connection may be the rest of what was refused.
_CLOSE = {"Connection": "close"}


class SizeLimit:
    """ASGI middleware that reads a request as a whole before it passes it on, and refuses what is too large.

    A body is read up to `most` bytes, whatever length it declares or hides. As it is read before a place is
    taken for its request, a client that sends it slowly keeps no other one waiting.
    """

    def __init__(self, app: ASGIApp, *, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on with its body, or answers 400, 413, 414 or 431."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        code = _find_fault(scope)
        if code is not None:
            return await refuse(code, headers=_CLOSE)(scope, receive, send)
        chunks, read, more = [], 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            chunk, more = message.get("body", b""), message.get("more_body", False)
            chunks.append(chunk)
            read += len(chunk)
            if read > self._most:
                return await refuse("body-too-large")(scope, receive, send)
        return await self._app(scope, _replay(b"".join(chunks), receive), send)


def _find_fault(scope: Scope) -> str | None:
    names = {name for name, _ in scope["headers"]}
    # Whoever stands before the service may have gone by the other one (RFC 9112, 6.1).
    if names >= {b"content-length", b"transfer-encoding"}:
        return "malformed-request"
    # Some servers have the path only as text.
    path = scope.get("raw_path") or scope["path"].encode()
    if len(path) + len(scope["query_string"]) > MAX_TARGET_BYTES:
        return "target-too-long"
    # Each has a colon, a blank and a line end, too.
    if sum(len(name) + len(value) + 4 for name, value in scope["headers"]) > MAX_HEADER_BYTES:
        return "headers-too-large"
    return None


def _replay(body: bytes, receive: Receive) -> Receive:
    """Returns a `receive` that gives the body first, and then what comes after it."""
    unread = [body]

    async def receive_again() -> Message:
        if unread:
            return {"type": "http.request", "body": unread.pop(), "more_body": False}
        return await receive()

    return receive_again
