"""What a search found, before passages are made of it."""

from dataclasses import dataclass

from retrieval.candidate import Candidate
from retrieval.ladder import Rung
from retrieval.pack import Lane, RerankStep


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Candidates best first, and how they were found.

    `lanes` are those that found or scored anything; `graph_truncated` says that links were left out. A
    candidate below `floor` is no answer. `foreign` says that the embedder has hardly seen the query's script.
    `rerank` is what came of the second stage, if there was one.
    """

    candidates: tuple[Candidate, ...]
    rung: Rung
    lanes: tuple[Lane, ...]
    graph_truncated: bool = False
    floor: float = 0.0
    foreign: bool = False
    rerank: RerankStep | None = None

    @property
    def best(self) -> float | None:
        """P(relevant) of the first candidate, None where there is none."""
        return self.candidates[0].score if self.candidates else None

    @property
    def least(self) -> float:
        """P(relevant) that passages beside the best one need: the floor's share of that of the best.

        Where little is certain the answer is as likely in the next passages.
        """
        return self.floor * (self.best or 0.0)

    @property
    def is_weak(self) -> bool:
        """Whether nothing was found that is likely enough to be relevant."""
        return self.best is None or self.best < self.floor
