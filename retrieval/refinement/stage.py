"""Running the second stage over the head of a ranking."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.candidate import Candidate
from retrieval.pack import Outcome, RerankStage, RerankStep
from retrieval.refinement.mixing import mix_scores
from retrieval.refinement.port import Measured, Question, Refiner

DEPTH = 20
"""Candidates that are looked at: more of them changed nothing, and cost in proportion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondStage:
    """What looks at the best candidates once more, and what that is called."""

    name: RerankStage
    refiner: Refiner


async def refine_ranking(
    stage: SecondStage, question: Question, ranked: Sequence[Candidate], *, share: float
) -> tuple[list[Candidate], RerankStep]:
    """Returns the ranking with its first candidates in a new order, and what came of the stage.

    `share` is what the new scores count beside those of the lanes, from 0 to 1. Where it comes to nothing
    the ranking stands as it is.
    """
    head, tail = ranked[:DEPTH], ranked[DEPTH:]
    measured = await stage.refiner.measure(question, head)
    step = RerankStep(stage=stage.name, outcome=_name_outcome(measured), reason=measured.reason)
    return [*mix_scores(head, measured.scores, share=share), *tail], step


def _name_outcome(measured: Measured) -> Outcome:
    if measured.reason is None:
        return "used"
    return "partial" if measured.scores else "unavailable"
