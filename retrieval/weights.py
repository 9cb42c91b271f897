"""The weights of a ranking: what each signal counts beside the others.

The defaults were fitted on several sets of queries with the packaged model; `docs/decisions/0016` says how.
"""

from dataclasses import dataclass

import regex

from retrieval.warnings import Level

RANKING_VERSION = 1
"""Raised whenever equal weights would give other rankings: weights fitted to the old ones are void then."""

_FOREIGN = regex.compile(r"[\p{L}--\p{Latin}]", regex.VERSION1)
_LETTER = regex.compile(r"\p{L}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingWeights:
    """What the signals of a ranking count.

    `dense` is the share of the dense lane, from 0 to 1; the lexical lane has the rest. `page_level` is that
    share where page vectors stand for the passages, `foreign_dense` where most letters of the query are of a
    script that a model for English has hardly seen, `choice` that of a language model's choice of pages,
    which has read the query in any script. `page_dense` and `page_lexical` are what the cosine and the BM25
    of a passage's page add to its own. A further passage of a section has `again` of its score, the one after
    it `again` of that. `links` is what the largest PageRank adds to the score of both lanes.
    """

    dense: float = 0.5
    page_level: float = 0.35
    foreign_dense: float = 0.2
    choice: float = 0.7
    page_dense: float = 0.25
    page_lexical: float = 1.0
    again: float = 0.9
    links: float = 0.2

    def of_dense(self, query: str, level: Level) -> float:
        """Returns the share of the dense lane for a query on a level of the ladder."""
        if level == "llm":
            return self.choice
        full = self.page_level if level == "page" else self.dense
        letters, foreign = len(_LETTER.findall(query)), len(_FOREIGN.findall(query))
        return min(self.foreign_dense, full) if 2 * foreign > letters else full


DEFAULT_WEIGHTS = RankingWeights()
