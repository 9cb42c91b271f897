"""The weights of a ranking: what each signal counts beside the others.

The defaults were fitted on several sets of queries with the packaged model; `docs/decisions/0016` says how.
"""

from dataclasses import dataclass, fields

from retrieval.pack import RerankStage
from retrieval.warnings import Level

RANKING_VERSION = 1
"""Raised whenever equal weights would give other rankings: weights fitted to the old ones are void then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingWeights:
    """What the signals of a ranking count.

    `dense` is the share of the dense lane, from 0 to 1; the lexical lane has the rest. `page_level` is that
    share where page vectors stand for the passages, `foreign_dense` where most letters of the query are of a
    script that the embedder has hardly seen, and `choice` that of a language model's choice of pages, which
    has read the query in any script. `page_dense` and `page_lexical` are what the cosine and the BM25 of a
    passage's page add to its own. A further passage of a section has `again` of its score, the one after it
    `again` of that. `links` is the share of what a link is worth (`propagation.py`) that it adds. `maxsim`
    and `cross_encoder` are shares of a second stage; the ranking before it has the rest.
    """

    dense: float = 0.5
    page_level: float = 0.35
    foreign_dense: float = 0.2
    choice: float = 0.7
    page_dense: float = 0.25
    page_lexical: float = 1.0
    again: float = 0.9
    links: float = 1.0
    maxsim: float = 0.2
    cross_encoder: float = 0.5

    def of_dense(self, level: Level, *, foreign: bool) -> float:
        """Returns the share of the dense lane on a level of the ladder.

        `foreign` says that the embedder has hardly seen the query's script.
        """
        if level == "llm":
            return self.choice
        full = self.page_level if level == "page" else self.dense
        return min(self.foreign_dense, full) if foreign else full

    def of_stage(self, stage: RerankStage) -> float:
        """Returns the share of a second stage."""
        return self.maxsim if stage == "maxsim" else self.cross_encoder


DEFAULT_WEIGHTS = RankingWeights()


def list_changes(weights: RankingWeights) -> dict[str, tuple[float, float]]:
    """Returns by name the weights that are not the default ones: what is the default, and what is used."""
    pairs = {
        field.name: (getattr(DEFAULT_WEIGHTS, field.name), getattr(weights, field.name))
        for field in fields(RankingWeights)
    }
    return {name: (default, own) for name, (default, own) in pairs.items() if default != own}
