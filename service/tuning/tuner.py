"""Tuning a wiki: fit to one half of its labels, and measure on the other what that is worth.

labels ─> sample ─┬─ fitted half ──> weights, floor ─┐
                  └─ held-back half ─────────────────┴─> gain, share of each level ─> tuning
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.models import Models
from retrieval.query_embedder import QueryEmbedder
from retrieval.store import Clock, Generation
from retrieval.tuning import Gain, LabelKind, Provenance, Tuning
from retrieval.warnings import Level
from retrieval.weights import DEFAULT_WEIGHTS, RankingWeights
from service.errors import TuningImpossible
from service.evaluation.bootstrap import compare
from service.tuning.disguise import DisguisedSnapshot
from service.tuning.fit import STEPS, fit_weights, rank_again
from service.tuning.floor import FloorFit, fit_floor
from service.tuning.headings import HeadingHider
from service.tuning.labels import Label, collect_labels
from service.tuning.progress import Progress
from service.tuning.quality import Qualities, mean, measure_quality
from service.tuning.sample import Sample, draw_sample
from service.tuning.trials import Laboratory, Trial
from service.wiring import Application, Wiki

LEAST_LABELS = 20
"""Of each half: with fewer nothing can be told from chance."""

_LOWER: tuple[Level, ...] = ("page", "lexical")


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningResult:
    """What came of a tuning: counts of labels by kind and by half, and what was fitted to them.

    `tuning` and `floor` are None where there were too few labels.
    """

    labels: dict[LabelKind, int]
    fitted: int
    held_back: int
    tuning: Tuning | None = None
    floor: FloorFit | None = None


async def tune_wiki(
    application: Application, wiki: Wiki, *, limit: int, seed: int, progress: Progress
) -> TuningResult:
    """Fits a tuning to the newest generation of a wiki; nothing is written.

    Raises:
        TuningImpossible: There are no vectors to weigh, or not all of them.
        EmbedderError: The model failed.
        StoreError: The index cannot be read.
    """
    embedder, queries = application.embedder, application.query_embedder
    store = await wiki.reader.store()
    generation = (await store.snapshot()).generation
    if embedder is None or queries is None:
        raise TuningImpossible("without an embedding model there is nothing to weigh words against")
    await _check(generation, queries)
    snapshot = await DisguisedSnapshot.open(store.database, generation)
    try:
        sample = draw_sample(await collect_labels(snapshot), limit=limit, seed=seed)
        hider = HeadingHider(snapshot, embedder, progress=progress)
        disguises = await hider.hide((*sample.fitted, *sample.held_back))
        laboratory = Laboratory(
            snapshot=snapshot, disguises=disguises, models=Models(embedder=queries), progress=progress
        )
        tuner = _Tuner(
            laboratory=laboratory,
            sample=sample.keep(lambda label: label.section is None or label in disguises),
            progress=progress,
            floor=embedder.calibration.floor,
        )
        return await tuner.run(generation, seed=seed, clock=application.clock)
    finally:
        snapshot.close()


async def _check(generation: Generation, queries: QueryEmbedder) -> None:
    """Refuses an index whose full level cannot be measured."""
    if generation.space is None or generation.counts.pending or not generation.counts.embedded:
        raise TuningImpossible("not all passages have their vectors; run `wikitrail index`, then tune")
    await queries.warm()
    if not queries.can_search(generation.space):
        raise TuningImpossible("the index holds vectors of another embedding model; run `wikitrail index`")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tuner:
    """One tuning over a sample; `floor` is that of the embedder."""

    laboratory: Laboratory
    sample: Sample
    progress: Progress
    floor: float

    async def run(self, generation: Generation, *, seed: int, clock: Clock) -> TuningResult:
        sample = self.sample
        result = TuningResult(
            labels=sample.count(), fitted=len(sample.fitted), held_back=len(sample.held_back)
        )
        basis, space = generation.basis, generation.space
        if min(result.fitted, result.held_back) < LEAST_LABELS or basis is None or space is None:
            return result
        found = await self._try(sample.fitted, DEFAULT_WEIGHTS)
        weights = self._fit(found, space.origin)
        before = await self._try(sample.held_back, DEFAULT_WEIGHTS)
        after = before if weights == DEFAULT_WEIGHTS else await self._try(sample.held_back, weights)
        gain = tell_gain(before, after)
        used = weights if gain.taken else DEFAULT_WEIGHTS
        if gain.taken:
            found, before = await self._try(sample.fitted, used), after
        floor = await self._fit_floor(used, found, before)
        tuning = Tuning(
            weights=used,
            floor=floor.fitted,
            shares=await self._measure_levels(used, mean(_measure((*found, *before)))),
            basis=basis,
            provenance=Provenance(
                created=clock(),
                generation=generation.number,
                seed=seed,
                labels=result.labels,
                gain=gain,
            ),
        )
        return replace(result, tuning=tuning, floor=floor)

    def _fit(self, trials: Sequence[Trial], origin: float) -> RankingWeights:
        self.progress.start("fit", STEPS)
        measure = rank_again(trials, origin)
        weights = fit_weights(measure, DEFAULT_WEIGHTS, advance=lambda: self.progress.advance(1))
        self.progress.finish()
        return weights

    async def _try(
        self, labels: Sequence[Label], weights: RankingWeights, level: Level = "chunk"
    ) -> tuple[Trial, ...]:
        return await self.laboratory.try_labels(labels, weights=weights, level=level)

    async def _measure_levels(self, weights: RankingWeights, full: float) -> dict[Level, float]:
        """Returns for each lower level its share of full quality, over the labels of both halves."""
        labels = (*self.sample.fitted, *self.sample.held_back)
        lower = {level: await self._try(labels, weights, level) for level in _LOWER}
        return {
            level: round(min(1.0, mean(_measure(trials)) / full), 3) if full else 1.0
            for level, trials in lower.items()
        }

    async def _fit_floor(
        self, weights: RankingWeights, fitted: Sequence[Trial], held_back: Sequence[Trial]
    ) -> FloorFit:
        unanswered = [_leave_out_answer(label) for label in self.sample.held_back]
        without = await self._try(unanswered, weights)
        return fit_floor(fitted, held_back, without, default=self.floor)


def _leave_out_answer(label: Label) -> Label:
    return replace(label, linkers=(*label.linkers, *label.pages))


def tell_gain(before: Sequence[Trial], after: Sequence[Trial]) -> Gain:
    """Compares two series of trials of the same labels; weights are taken if their gain is no chance."""
    defaults, fitted = _measure(before), _measure(after)
    difference = compare(fitted, defaults)
    if difference is None:
        raise ValueError("no label was tried")
    return Gain(
        labels=len(defaults),
        before=round(mean(defaults), 4),
        after=round(mean(fitted), 4),
        low=round(difference.low, 4),
        high=round(difference.high, 4),
        taken=difference.low > 0,
    )


def _measure(trials: Sequence[Trial]) -> Qualities:
    return measure_quality([(trial.label, trial.candidates) for trial in trials])
