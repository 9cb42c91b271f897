"""The result of an evaluation, as it is shown and printed."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from retrieval.warnings import Level
from service.evaluation.bootstrap import Difference, compare
from service.evaluation.dataset import EvaluationSet
from service.evaluation.experiment import Experiment
from service.evaluation.measures import Values, average, measure_runs

Means = Mapping[str, Mapping[str, float | None]]
"""By run and measure, the mean over queries; None where the set has no judgments for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageReport:
    """The same means over the queries of one language."""

    queries: int
    runs: Means


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationReport:
    """What was measured.

    `differences` are by run and measure, against the run `baseline`; `levels` count for each run how many
    queries were answered at which level.
    """

    set: str
    queries: int
    runs: Means
    baseline: str
    differences: Mapping[str, Mapping[str, Difference]]
    languages: Mapping[str, LanguageReport]
    levels: Mapping[str, Mapping[Level, int]]


def make_report(dataset: EvaluationSet, experiment: Experiment, *, baseline: str) -> EvaluationReport:
    """Returns the report; `baseline` is the name of a run."""
    values = measure_runs(dataset, experiment)
    return EvaluationReport(
        set=dataset.name,
        queries=len(dataset.queries),
        runs=_average(values),
        baseline=baseline,
        differences={
            name: _compare(run, values[baseline]) for name, run in values.items() if name != baseline
        },
        languages=_by_language(dataset, values),
        levels={
            name: dict(Counter(outcome.level for outcome in outcomes))
            for name, outcomes in experiment.outcomes.items()
        },
    )


def to_dict(report: EvaluationReport) -> dict[str, Any]:
    """Returns the report as JSON values."""
    return asdict(report)


def _average(values: Mapping[str, Values], among: Collection[str] | None = None) -> Means:
    return {
        name: {
            measure: average(
                {query: value for query, value in by_query.items() if among is None or query in among}
            )
            for measure, by_query in run.items()
        }
        for name, run in values.items()
    }


def _compare(run: Values, baseline: Values) -> Mapping[str, Difference]:
    found = {measure: compare(by_query, baseline[measure]) for measure, by_query in run.items()}
    return {measure: difference for measure, difference in found.items() if difference is not None}


def _by_language(dataset: EvaluationSet, values: Mapping[str, Values]) -> Mapping[str, LanguageReport]:
    queries: dict[str, set[str]] = {}
    for query in dataset.queries:
        if query.language is not None:
            queries.setdefault(query.language, set()).add(query.id)
    return {
        language: LanguageReport(queries=len(among), runs=_average(values, among))
        for language, among in sorted(queries.items())
    }
