"""The models that a search may ask, each of which may be missing."""

from dataclasses import dataclass

from retrieval.llm.port import CHOICE_SECONDS, PageChooser
from retrieval.query_embedder import QueryEmbedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """What gives queries their vectors, and what chooses pages where there are none.

    `ask_when_weak` asks for a choice also where vectors found nothing relevant; `choice_seconds` bounds it.
    """

    embedder: QueryEmbedder | None = None
    chooser: PageChooser | None = None
    ask_when_weak: bool = False
    choice_seconds: float = CHOICE_SECONDS
