"""What every answer tells browsers and caches."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = {
    # Texts of pages are data: no browser shall take an answer for anything but what it is declared as.
    "X-Content-Type-Options": "nosniff",
    # Nor shall pages of other sites load it in place of an image or a script.
    "Cross-Origin-Resource-Policy": "same-origin",
    # An answer holds for one state of the index, and may be for those with a token alone.
    "Cache-Control": "no-store",
}


class AnswerHeaders:
    """ASGI middleware that adds headers to each answer; those that it has already stay."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, and its answer back with the headers."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)
