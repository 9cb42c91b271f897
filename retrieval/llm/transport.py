"""The transport to a chat endpoint: of an answer with an error status only the beginning is read.

The client reads such an answer whole before it raises, whatever its size.
"""

from collections.abc import AsyncIterator

from httpx2 import AsyncByteStream, Response
from openai import DefaultAsyncHttpxClient

MAX_ERROR_BYTES = 4 * 1024
"""Of an error's body; what servers say of themselves is shorter."""


def make_transport() -> DefaultAsyncHttpxClient:
    """Returns the client's own transport, with that bound."""
    return DefaultAsyncHttpxClient(event_hooks={"response": [_bound_error]})


async def _bound_error(response: Response) -> None:
    if not response.is_success and isinstance(response.stream, AsyncByteStream):
        response.stream = _Beginning(response.stream)
        # A few kilobytes can be made to unpack to gigabytes: they are left as they are.
        response.headers.pop("content-encoding", None)


class _Beginning(AsyncByteStream):
    """The first `MAX_ERROR_BYTES` of a stream."""

    def __init__(self, stream: AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = MAX_ERROR_BYTES
        async for part in self._stream:
            yield part[:left]
            left -= len(part)
            if left <= 0:
                return

    async def aclose(self) -> None:
        await self._stream.aclose()
