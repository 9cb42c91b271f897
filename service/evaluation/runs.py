"""The runs of an evaluation: which parts of the search each one has."""

from collections.abc import Mapping
from dataclasses import dataclass

from retrieval.ablation import ALL_LANES, Ablation
from retrieval.pack import Lane
from retrieval.request import Mode, Rerank
from retrieval.warnings import Level

FULL = "full"
"""The run that is what a user gets."""

LEXICAL = "lexical"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One way to search: the lanes that run, whether BM25 reranks, the level the dense lane is held to."""

    name: str
    mode: Mode
    lanes: frozenset[Lane] = ALL_LANES
    rerank: bool = True

    @property
    def ablation(self) -> Ablation:
        """What the search leaves out."""
        return Ablation(lanes=self.lanes, rerank=self.rerank)

    @property
    def second_stage(self) -> Rerank | None:
        """What the run asks for: what is set up, or none."""
        return None if self.name == FULL else "none"

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out but levels."""
        return self.lanes == ALL_LANES and self.rerank

    @property
    def level(self) -> Level:
        """The level that the run is meant to measure."""
        return "chunk" if self.mode == "auto" else self.mode


_lexical: frozenset[Lane] = frozenset({"lexical"})
_dense: frozenset[Lane] = frozenset({"dense"})
_both = _lexical | _dense

RUNS: Mapping[str, Run] = {
    run.name: run
    for run in (
        Run(name=FULL, mode="auto"),
        Run(name=LEXICAL, mode="lexical", lanes=_lexical),
        Run(name="dense", mode="chunk", lanes=_dense),
        Run(name="fused", mode="chunk", lanes=_both, rerank=False),
        Run(name="reranked", mode="chunk", lanes=_both),
        Run(name="graph", mode="chunk"),
        Run(name="page", mode="page"),
        Run(name="words", mode="lexical"),
        Run(name="llm", mode="llm"),
    )
}
"""Every run by name: all of it, each lane alone, one part more each time, and all of it held to lower levels.

`graph` is also all of it held to the highest level, that of passage vectors. Only the full run has the second
stage of ranking that the settings name, so its difference to `graph` is what that is worth.
"""


def default_runs(*, with_model: bool) -> tuple[str, ...]:
    """Returns the runs that an evaluation makes unless told which.

    Without an embedding model those of its levels would all be the same. The level of the language model is
    left out: each of its queries costs a call, so it has to be asked for.
    """
    if with_model:
        return tuple(name for name in RUNS if name != "llm")
    return (FULL, LEXICAL)
