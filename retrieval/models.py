"""The models that a search may ask, each of which may be missing."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from retrieval.errors import RerankMissing
from retrieval.llm.port import CHOICE_SECONDS, PageChooser
from retrieval.pack import RerankStage
from retrieval.query_embedder import QueryEmbedder
from retrieval.refinement.port import Refiner
from retrieval.refinement.stage import SecondStage
from retrieval.request import Rerank


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """What gives queries their vectors, what chooses pages where there are none, and what refines a ranking.

    `ask_when_weak` asks for a choice also where vectors found nothing relevant; `choice_seconds` bounds it.
    `rerank` names the second stage of queries that do not say.
    """

    embedder: QueryEmbedder | None = None
    chooser: PageChooser | None = None
    ask_when_weak: bool = False
    choice_seconds: float = CHOICE_SECONDS
    refiners: Mapping[RerankStage, Refiner] = field(default_factory=dict)
    rerank: Rerank = "none"

    def second_stage(self, asked: Rerank | None) -> SecondStage | None:
        """Returns the second stage of a query that asks for one, or leaves that open; None for none.

        Raises:
            RerankMissing: It is not set up.
        """
        name = asked or self.rerank
        if name == "none":
            return None
        if name not in self.refiners:
            raise RerankMissing(name)
        return SecondStage(name=name, refiner=self.refiners[name])
