"""Every run over every query, and what each gave."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from retrieval.ablation import Ablation, Ranking
from retrieval.candidate import Candidate
from retrieval.pack import EvidencePack
from retrieval.request import MAX_K, EvidenceRequest
from retrieval.warnings import Level
from service.evaluation.answers import holds_answer
from service.evaluation.dataset import EvaluationSet, Query, Section
from service.evaluation.runs import FULL, Run

DEPTH = 100
"""Pages kept of a ranking: no measure looks further."""

EVIDENCE_K = 8
"""Passages that a pack may have."""


class Rank(Protocol):
    """Ranks candidates for a request, best first."""

    def __call__(self, request: EvidenceRequest, *, ablation: Ablation) -> Awaitable[Ranking]:
        """Returns the ranking, with the parts of the search that the ablation leaves."""


Retrieve = Callable[[EvidenceRequest], Awaitable[EvidencePack]]
"""Answers a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run gave for a query: distinct pages, best first, and the level it was answered at.

    `section_rank` is the rank from 1 of the first candidate in a judged section, None for none of them.
    """

    query: Query
    pages: tuple[str, ...]
    section_rank: int | None
    level: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """The outcomes by run, and for the queries with answers whether a pack of the full run held one."""

    outcomes: Mapping[str, Sequence[Outcome]]
    answered: Mapping[str, bool]


async def run_experiment(
    dataset: EvaluationSet,
    queries: Iterable[Query],
    runs: Sequence[Run],
    *,
    rank: Rank,
    retrieve: Retrieve,
    generation: int,
) -> Experiment:
    """Returns what each run gave for each query, from one generation of the index.

    Runs follow each other query by query, so that a query is embedded once.
    """
    outcomes: dict[str, list[Outcome]] = {run.name: [] for run in runs}
    answered: dict[str, bool] = {}
    for query in queries:
        for run in runs:
            request = EvidenceRequest(query=query.text, k=MAX_K, mode=run.mode, generation=generation)
            ranking = await rank(request, ablation=run.ablation)
            outcomes[run.name].append(_describe(query, ranking, dataset.sections.get(query.id, ())))
        if FULL in outcomes and query.id in dataset.answers:
            pack = await retrieve(EvidenceRequest(query=query.text, k=EVIDENCE_K, generation=generation))
            answered[query.id] = holds_answer(pack.evidence, dataset.answers[query.id])
    return Experiment(outcomes=outcomes, answered=answered)


def _describe(query: Query, ranking: Ranking, sections: Sequence[Section]) -> Outcome:
    ranks = enumerate(ranking.candidates, start=1)
    hits = (rank for rank, found in ranks if any(_overlaps(found, section) for section in sections))
    return Outcome(
        query=query,
        pages=tuple(dict.fromkeys(candidate.path for candidate in ranking.candidates))[:DEPTH],
        section_rank=next(hits, None),
        level=ranking.rung.level,
    )


def _overlaps(candidate: Candidate, section: Section) -> bool:
    span = candidate.span
    return (
        candidate.path == section.page
        and span.line_start <= section.last_line
        and section.first_line <= span.line_end
    )
