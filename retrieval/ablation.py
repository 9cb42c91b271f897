"""Switching parts of the search off, to measure what each is worth."""

from dataclasses import dataclass

from retrieval.pack import Lane

ALL_LANES: frozenset[Lane] = frozenset(("dense", "lexical", "graph"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """The lanes that run, and whether candidates are scored again by both of them.

    Without the rerank a candidate has the scores of the lanes that found it, and nothing from the others.
    With one of `dense` and `lexical` alone, it both finds and scores.
    """

    lanes: frozenset[Lane] = ALL_LANES
    rerank: bool = True


WHOLE = Ablation()
"""Nothing switched off: what a user gets."""
