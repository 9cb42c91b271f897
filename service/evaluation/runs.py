"""The runs of an evaluation: which parts of the search each one has."""

from collections.abc import Mapping
from dataclasses import dataclass

from retrieval.ablation import ALL_LANES, Ablation
from retrieval.pack import Lane
from retrieval.request import Mode
from retrieval.warnings import Level

FULL = "full"
"""The run that is what a user gets."""

LEXICAL = "lexical"

_LEVELS: Mapping[Mode, Level] = {
    "auto": "chunk",
    "chunk": "chunk",
    "page": "page",
    "llm": "llm",
    "lexical": "lexical",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One way to search: the lanes that run, and the level that the dense lane is held to."""

    name: str
    lanes: frozenset[Lane] = ALL_LANES
    mode: Mode = "auto"

    @property
    def ablation(self) -> Ablation:
        """What the search leaves out."""
        return Ablation(lanes=self.lanes)

    @property
    def level(self) -> Level:
        """The level that the run is meant to measure."""
        return _LEVELS[self.mode] if "dense" in self.lanes else "lexical"


_lexical: frozenset[Lane] = frozenset({"lexical"})
_dense: frozenset[Lane] = frozenset({"dense"})

RUNS: Mapping[str, Run] = {
    run.name: run
    for run in (
        Run(name=LEXICAL, lanes=_lexical),
        Run(name="dense", lanes=_dense),
        Run(name="fused", lanes=_lexical | _dense),
        Run(name=FULL),
        Run(name="chunk", mode="chunk"),
        Run(name="page", mode="page"),
        Run(name="words", mode="lexical"),
        Run(name="llm", mode="llm"),
    )
}
"""Every run by name: each lane alone, the two fused, all of it, and all of it held to each level."""


def default_runs(*, with_model: bool) -> tuple[str, ...]:
    """Returns the runs that an evaluation makes unless told which.

    Without an embedding model those of its levels would all be the same. The level of the language model is
    left out: each of its queries costs a call, so it has to be asked for.
    """
    if with_model:
        return tuple(name for name in RUNS if name != "llm")
    return (LEXICAL, FULL)
