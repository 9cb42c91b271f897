"""Chooses pages through any endpoint that speaks the chat protocol of OpenAI, with their own client."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrieval.llm.port import CHOICE_SECONDS, ChooserError, PageCard
from retrieval.llm.prompt import Prompt, write_prompt
from retrieval.llm.reply import read_choice, read_content

if TYPE_CHECKING:
    from openai import AsyncOpenAI

MAX_REPLY_BYTES = 256 * 1024

_LOGGED_CHARS = 500
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatEndpoint:
    """Where the language model is asked; `base_url` ends before "/chat/completions"."""

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    seconds: float = CHOICE_SECONDS


class OpenAIChooser:
    """A `PageChooser` over a chat endpoint.

    A server that refuses the JSON schema is asked again without it, and from then on only so. What a server
    says goes to the log at level debug, and nowhere else.
    """

    def __init__(self, endpoint: ChatEndpoint) -> None:
        self._endpoint = endpoint
        self._takes_schema = True

    async def choose(self, query: str, catalogue: Sequence[PageCard], limit: int) -> tuple[str, ...]:
        """Returns page ids of the catalogue, best first, each once, at most `limit`; none if nothing fits.

        Raises:
            ChooserError: The model is down, too slow, or its reply cannot be used.
        """
        if not catalogue or limit < 1:
            return ()
        body = await self._ask(write_prompt(query, catalogue, limit))
        return read_choice(read_content(body), catalogue, limit)

    async def _ask(self, prompt: Prompt) -> bytes:
        """Returns the body of the answer, before the deadline."""
        try:
            async with asyncio.timeout(self._endpoint.seconds):
                # Importing the library takes a second, and a client reads the certificates of the system.
                client = await asyncio.to_thread(_connect, self._endpoint)
                async with client:
                    body = await self._request(client, prompt)
        except ChooserError:
            raise
        except Exception as error:  # the client, its transport and the deadline share no root of their errors
            self._log_provider(str(error))
            # Without the cause: its text is the server's own.
            raise ChooserError(self._explain(error)) from None
        self._log_provider(body.decode(errors="replace"))
        return body

    async def _request(self, client: "AsyncOpenAI", prompt: Prompt) -> bytes:
        from openai import BadRequestError, UnprocessableEntityError

        if self._takes_schema:
            try:
                return await self._post(client, prompt, with_schema=True)
            except (BadRequestError, UnprocessableEntityError) as error:
                self._log_provider(str(error))
        body = await self._post(client, prompt, with_schema=False)
        self._takes_schema = False
        return body

    async def _post(self, client: "AsyncOpenAI", prompt: Prompt, *, with_schema: bool) -> bytes:
        from openai import omit

        # The client would fill these from the environment, which may be meant for another endpoint.
        headers = {"OpenAI-Organization": omit, "OpenAI-Project": omit}
        if self._endpoint.api_key is None:
            headers["Authorization"] = omit
        async with client.chat.completions.with_streaming_response.create(
            model=self._endpoint.model,
            messages=[{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "choice", "strict": True, "schema": prompt.schema},
            }
            if with_schema
            else omit,
            temperature=0 if with_schema else omit,  # some models refuse any temperature
            extra_headers=headers,
        ) as response:
            body = bytearray()
            async for part in response.iter_bytes():
                body += part
                if len(body) > MAX_REPLY_BYTES:
                    raise ChooserError("the language model's answer is too long")
            return bytes(body)

    def _explain(self, error: Exception) -> str:
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        if isinstance(error, TimeoutError | APITimeoutError):
            return f"the language model did not answer within {self._endpoint.seconds:g} s"
        if isinstance(error, APIStatusError):
            return f"the language model's server answered with status {error.status_code}"
        if isinstance(error, APIConnectionError):
            return "the language model's server cannot be reached"
        return "asking the language model failed"

    def _log_provider(self, text: str) -> None:
        """Logs what a server said: it may quote the key, and nobody else's words belong at a higher level."""
        shown = text.replace(self._endpoint.api_key, "***") if self._endpoint.api_key else text
        _log.debug("the language model's server said: %r", shown[:_LOGGED_CHARS])


def _connect(endpoint: ChatEndpoint) -> "AsyncOpenAI":
    """Returns a client for one choice: a kept one would belong to one event loop, and need to be closed."""
    from openai import AsyncOpenAI

    from retrieval.llm.transport import make_transport

    return AsyncOpenAI(
        base_url=endpoint.base_url,
        api_key=endpoint.api_key or "none",  # the client wants one; without a key no header holds it
        timeout=endpoint.seconds,
        max_retries=0,
        http_client=make_transport(),
    )
