"""The measures of a run, each for every query that it applies to.

nDCG is that of Järvelin and Kekäläinen (2002) with the grade as gain, RR the reciprocal rank of the first
relevant page, recall the share of the relevant pages; ir-measures computes them as trec_eval does.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

import ir_measures
from ir_measures import RR, R, nDCG

from service.evaluation.dataset import EvaluationSet
from service.evaluation.experiment import EVIDENCE_K, Experiment, Outcome
from service.evaluation.runs import FULL

_PAGES = {
    "ndcg@10": nDCG @ 10,
    "rr@10": RR @ 10,
    "recall@5": R @ 5,
    "recall@10": R @ 10,
    "recall@100": R @ 100,
}
_SECTIONS = {"section_hit@1": 1, "section_hit@5": 5}
_ANSWER = f"answer_in_evidence@{EVIDENCE_K}"

MEASURES = (*_PAGES, *_SECTIONS, _ANSWER)
"""Their names, as they are printed."""

Values = Mapping[str, Mapping[str, float]]
"""By measure, the value of each query by its id; empty for a measure that the set has no judgments for."""


def measure_runs(dataset: EvaluationSet, experiment: Experiment) -> Mapping[str, Values]:
    """Returns the values of every run by its name.

    Only the full run makes packs, so only of it is known whether the evidence has the answer.
    """
    answered = {query: float(held) for query, held in experiment.answered.items()}
    return {
        name: {
            **_measure_pages(dataset, outcomes),
            **_measure_sections(dataset, outcomes),
            _ANSWER: answered if name == FULL else {},
        }
        for name, outcomes in experiment.outcomes.items()
    }


def average(values: Mapping[str, float]) -> float | None:
    """Returns the mean over the queries, None where there are none."""
    return fmean(values.values()) if values else None


def _measure_pages(dataset: EvaluationSet, outcomes: Sequence[Outcome]) -> Values:
    judged = [
        ir_measures.Qrel(outcome.query.id, page, grade)
        for outcome in outcomes
        for page, grade in dataset.grades[outcome.query.id].items()
    ]
    # A score for the order alone: trec_eval sorts by it and breaks ties by the id of the page.
    ranked = [
        ir_measures.ScoredDoc(outcome.query.id, page, float(-rank))
        for outcome in outcomes
        for rank, page in enumerate(outcome.pages, start=1)
    ]
    names = {measure: name for name, measure in _PAGES.items()}
    values: dict[str, dict[str, float]] = {name: {} for name in _PAGES}
    for metric in ir_measures.iter_calc(list(names), judged, ranked):
        values[names[metric.measure]][metric.query_id] = metric.value
    return values


def _measure_sections(dataset: EvaluationSet, outcomes: Sequence[Outcome]) -> Values:
    judged = [outcome for outcome in outcomes if outcome.query.id in dataset.sections]
    return {
        name: {
            outcome.query.id: float(outcome.section_rank is not None and outcome.section_rank <= cut)
            for outcome in judged
        }
        for name, cut in _SECTIONS.items()
    }
