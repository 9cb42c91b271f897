"""The bound on the size of a request's body."""

from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyLimit:
    """ASGI middleware that stops reading a body at `most` bytes, whatever length it declares or hides."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on with a bounded body; reading beyond it raises HTTPException 413."""
        read = 0

        async def receive_bounded() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._most:
                raise HTTPException(413)
            return message

        await self._app(scope, receive_bounded, send)
