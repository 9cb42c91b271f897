"""The port of the second stage, and what it leaves behind in a ranking."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from retrieval.candidate import Candidate
from retrieval.deadline import Deadline
from retrieval.ladder import Rung
from retrieval.pack import RerankReason
from retrieval.store import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What candidates are measured against: a query, the generation they are of, and the time that is left.

    `rung` is where the dense lane stands, and has the query's vector where there is one.
    """

    query: str
    snapshot: Snapshot
    rung: Rung
    deadline: Deadline


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """New scores by chunk id, larger is better, comparable for one query only.

    `reason` says why there are none, or none for some candidates.
    """

    scores: Mapping[str, float] = field(default_factory=dict)
    reason: RerankReason | None = None


class Refiner(Protocol):
    """Measures candidates against the query more closely than the lanes can."""

    async def measure(self, question: Question, candidates: Sequence[Candidate]) -> Measured:
        """Returns what could be measured in the time that is left; trouble is a reason, never an error."""
