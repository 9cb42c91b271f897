"""Trying labels: each is searched for by the search that users get, which must not see what gives it away."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.ablation import WHOLE
from retrieval.candidate import Candidate
from retrieval.deadline import Deadline
from retrieval.embedding.port import EmbedderError
from retrieval.models import Models
from retrieval.predicates import in_predicate
from retrieval.request import EvidenceRequest
from retrieval.search import Search
from retrieval.stopwatch import Stopwatch
from retrieval.warnings import Level
from retrieval.weights import RankingWeights
from service.tuning.disguise import AS_IT_IS, Disguise, DisguisedSnapshot
from service.tuning.labels import Label
from service.tuning.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The candidates of a label, best first and without their texts, and P(relevant) of the first.

    `foreign` says that the embedder has hardly seen the script of the query.
    """

    label: Label
    foreign: bool
    candidates: tuple[Candidate, ...]
    best: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Laboratory:
    """Where labels are tried: a snapshot with the disguises of labels, and the models of queries."""

    snapshot: DisguisedSnapshot
    disguises: Mapping[Label, Disguise]
    models: Models
    progress: Progress

    async def try_labels(
        self,
        labels: Sequence[Label],
        *,
        weights: RankingWeights,
        level: Level,
    ) -> tuple[Trial, ...]:
        """Returns a trial for each label, at one level of the ladder.

        Raises:
            EmbedderError: A query got no vector.
        """
        self.progress.start("try", len(labels))
        trials = [trial async for trial in self._try_each(labels, weights, level)]
        self.progress.finish()
        return tuple(trials)

    async def _try_each(
        self, labels: Sequence[Label], weights: RankingWeights, level: Level
    ) -> AsyncIterator[Trial]:
        for label in labels:
            search = self._set_up(label, weights, level)
            ranking = await search.run()
            if ranking.rung.level != level:
                raise EmbedderError(f"a query could not be embedded: {ranking.rung.reason}")
            candidates = (replace(found, text="", terms=()) for found in ranking.candidates)
            yield Trial(
                label=label,
                foreign=ranking.foreign,
                candidates=tuple(candidates),
                best=ranking.best or 0.0,
            )
            self.progress.advance(1)

    def _set_up(self, label: Label, weights: RankingWeights, level: Level) -> Search:
        self.snapshot.disguise = self.disguises.get(label, AS_IT_IS)
        return Search(
            snapshot=self.snapshot,
            request=EvidenceRequest(query=label.query, mode=level),
            models=self.models,
            weights=weights,
            where=f"NOT ({in_predicate('path', label.linkers)})" if label.linkers else None,
            ablation=WHOLE,
            deadline=Deadline(),
            stopwatch=Stopwatch(),
        )
