"""The measures of a run, each for every query that it applies to.

nDCG is that of Järvelin and Kekäläinen (2002) with the grade as gain, RR the reciprocal rank of the first
relevant page, recall the share of the relevant pages; ir-measures computes them as trec_eval does.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import ir_measures
from ir_measures import RR, R, nDCG

from service.evaluation.dataset import EvaluationSet
from service.evaluation.experiment import EVIDENCE_K, Trial
from service.evaluation.runs import FULL

_PAGES = {
    "ndcg@10": nDCG @ 10,
    "rr@10": RR @ 10,
    "recall@5": R @ 5,
    "recall@10": R @ 10,
    "recall@100": R @ 100,
}
_SECTIONS = {"section_hit@1": 1, "section_hit@5": 5}

ANSWERABLE = "answerable"
ANSWER = f"answer_in_evidence@{EVIDENCE_K}"
SOURCES = f"all_evidence@{EVIDENCE_K}"
PACK_MEASURES = (ANSWERABLE, ANSWER, SOURCES)
"""What is measured of packs, which only the full run makes."""

MEASURES = (*_PAGES, *_SECTIONS, *PACK_MEASURES)
"""Their names, as they are printed."""

Values = Mapping[str, Mapping[str, float]]
"""By measure, the value of each query by its id; empty for a measure that the set has no judgments for."""


def measure_runs(dataset: EvaluationSet, trials: Sequence[Trial]) -> Mapping[str, Values]:
    """Returns the values of every run by its name."""
    names = trials[0].outcomes if trials else ()
    return {
        name: {
            **_measure_pages(dataset, trials, name),
            **_measure_sections(dataset, trials, name),
            **_measure_packs(trials if name == FULL else ()),
        }
        for name in names
    }


def average(values: Mapping[str, float]) -> float | None:
    """Returns the mean over the queries, None where there are none."""
    return fmean(values.values()) if values else None


def _measure_pages(dataset: EvaluationSet, trials: Sequence[Trial], run: str) -> Values:
    judged = [
        ir_measures.Qrel(trial.query.id, page, grade)
        for trial in trials
        for page, grade in dataset.grades[trial.query.id].items()
    ]
    # A score for the order alone: trec_eval sorts by it and breaks ties by the id of the page.
    ranked = [
        ir_measures.ScoredDoc(trial.query.id, page, float(-rank))
        for trial in trials
        for rank, page in enumerate(trial.outcomes[run].pages, start=1)
    ]
    names = {measure: name for name, measure in _PAGES.items()}
    values: dict[str, dict[str, float]] = {name: {} for name in _PAGES}
    for metric in ir_measures.iter_calc(list(names), judged, ranked):
        values[names[metric.measure]][metric.query_id] = metric.value
    return values


def _measure_sections(dataset: EvaluationSet, trials: Sequence[Trial], run: str) -> Values:
    ranks = {
        trial.query.id: trial.outcomes[run].section_rank
        for trial in trials
        if trial.query.id in dataset.sections
    }
    return {
        name: {query: float(rank is not None and rank <= cut) for query, rank in ranks.items()}
        for name, cut in _SECTIONS.items()
    }


def _measure_packs(trials: Iterable[Trial]) -> Values:
    values: dict[str, dict[str, float]] = {name: {} for name in PACK_MEASURES}
    for trial in trials:
        if trial.pack is None:
            continue
        found = (trial.pack.answerable, trial.pack.holds_answer, trial.pack.holds_sources)
        for name, value in zip(PACK_MEASURES, found, strict=True):
            if value is not None:
                values[name][trial.query.id] = float(value)
    return values
