"""Every run over every query, and what each gave."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from retrieval.ablation import Ablation
from retrieval.candidate import Candidate
from retrieval.pack import EvidencePack
from retrieval.ranking import Ranking
from retrieval.request import MAX_K, EvidenceRequest
from retrieval.warnings import Level
from service.evaluation.answers import holds_answer, holds_sources
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

    pages: tuple[str, ...]
    section_rank: int | None
    level: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class PackOutcome:
    """What a user gets for a query: whether the pack says that it has an answer, and whether it has.

    `holds_answer` and `holds_sources` are None where the set does not say what is right.
    """

    answerable: bool
    holds_answer: bool | None
    holds_sources: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What every run gave for one query, by the name of the run.

    `repeats` are the runs that would have been the same search as the full one, so its outcome is theirs.
    `pack` is None where the full run is left out.
    """

    query: Query
    outcomes: Mapping[str, Outcome]
    repeats: frozenset[str]
    pack: PackOutcome | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """The runs to make over a set, from one generation of the index, and the functions that search."""

    dataset: EvaluationSet
    runs: Sequence[Run]
    rank: Rank
    retrieve: Retrieve
    generation: int

    async def run(self, queries: Iterable[Query]) -> AsyncIterator[Trial]:
        """Yields what the runs gave, query by query: so each is embedded once, and what is done is paired."""
        for query in queries:
            yield await self._try_query(query)

    async def _try_query(self, query: Query) -> Trial:
        whole = next((run for run in self.runs if run.name == FULL), None)
        full = None if whole is None else await self._rank(query, whole)
        repeats = {run.name for run in self.runs if full is not None and _repeats(run, full)}
        outcomes: dict[str, Outcome] = {}
        for run in self.runs:
            known = full if run is whole or run.name in repeats else None
            outcomes[run.name] = self.describe(query, known or await self._rank(query, run))
        pack = None if whole is None else await self._try_pack(query)
        return Trial(query=query, outcomes=outcomes, repeats=frozenset(repeats), pack=pack)

    async def _rank(self, query: Query, run: Run) -> Ranking:
        request = EvidenceRequest(
            query=query.text,
            k=MAX_K,
            mode=run.mode,
            generation=self.generation,
            rerank=run.second_stage,
        )
        return await self.rank(request, ablation=run.ablation)

    def describe(self, query: Query, ranking: Ranking) -> Outcome:
        """Returns what a ranking is for a query."""
        sections = self.dataset.sections.get(query.id, ())
        ranks = enumerate(ranking.candidates, start=1)
        hits = (rank for rank, found in ranks if any(_overlaps(found, section) for section in sections))
        return Outcome(
            pages=tuple(dict.fromkeys(candidate.path for candidate in ranking.candidates))[:DEPTH],
            section_rank=next(hits, None),
            level=ranking.rung.level,
        )

    async def _try_pack(self, query: Query) -> PackOutcome:
        request = EvidenceRequest(query=query.text, k=EVIDENCE_K, generation=self.generation)
        pack = await self.retrieve(request)
        answer = self.dataset.answers.get(query.id)
        return PackOutcome(
            answerable=pack.answerable,
            holds_answer=None if answer is None else holds_answer(pack.evidence, answer),
            holds_sources=holds_sources(pack.evidence, answer) if answer and answer.sources else None,
        )


async def collect(trials: AsyncIterator[Trial]) -> tuple[Trial, ...]:
    """Returns the trials until the last, or until the task is cancelled: what was measured is not lost."""
    done: list[Trial] = []
    try:
        async for trial in trials:
            done.append(trial)  # noqa: PERF401  (a comprehension would lose them)
    except asyncio.CancelledError:
        if not done:
            raise
    return tuple(done)


def _repeats(run: Run, full: Ranking) -> bool:
    """Tells whether a run held to a level is the search that the full one made, which tried no other."""
    return (
        run.is_whole
        and full.rerank is None
        and [(step.level, step.outcome) for step in full.rung.steps] == [(run.mode, "used")]
    )


def _overlaps(candidate: Candidate, section: Section) -> bool:
    span = candidate.span
    return (
        candidate.path == section.page
        and span.line_start <= section.last_line
        and section.first_line <= span.line_end
    )
