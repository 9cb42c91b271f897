"""Switching parts of the search off, to measure what each is worth."""

from dataclasses import dataclass

from retrieval.candidate import Candidate
from retrieval.ladder import Rung
from retrieval.pack import Lane

ALL_LANES: frozenset[Lane] = frozenset(("dense", "lexical", "graph"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """The lanes that run. With one of `dense` and `lexical` alone, it both finds and scores."""

    lanes: frozenset[Lane] = ALL_LANES


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Candidates best first, before passages are made of them, and how they were found.

    `lanes` are those that found or scored anything; `graph_truncated` says that links were left out.
    """

    candidates: tuple[Candidate, ...]
    rung: Rung
    lanes: tuple[Lane, ...]
    graph_truncated: bool = False
    floor: float = 0.0
