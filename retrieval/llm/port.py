"""The port through which a language model chooses pages from a catalogue."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from chunking.errors import WikitrailError

CHOICE_SECONDS = 8.0
"""How long a query waits for a choice, with everything that belongs to it."""


class ChooserError(WikitrailError):
    """The language model is down, too slow, or of no use; the message holds none of its words."""

    code: ClassVar[str] = "llm-failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCard:
    """What a catalogue says of a page: text from the wiki, which may hold anything."""

    page_id: str
    path: str
    title: str
    summary: str


class PageChooser(Protocol):
    """Chooses the pages that may answer a query."""

    async def choose(self, query: str, catalogue: Sequence[PageCard], limit: int) -> tuple[str, ...]:
        """Returns page ids of the catalogue, best first, each once, at most `limit`; none if nothing fits.

        Raises:
            ChooserError: The model is down, too slow, or its reply cannot be used.
        """
