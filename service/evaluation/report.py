"""The result of an evaluation, as it is shown and printed."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from retrieval.warnings import Level
from service.evaluation.bootstrap import Difference, compare
from service.evaluation.dataset import EvaluationSet
from service.evaluation.experiment import Trial
from service.evaluation.measures import Values, average, measure_runs

Means = Mapping[str, Mapping[str, float | None]]
"""By run and measure, the mean over queries; None where the set has no judgments for it."""

Differences = Mapping[str, Mapping[str, Difference]]
"""By run and measure, against one baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageReport:
    """The same means over the queries of one language."""

    queries: int
    runs: Means


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationReport:
    """What was measured.

    `queries` are those that were tried, `complete` says whether that is the whole set. `differences` are by
    baseline; `levels` count for each run how many queries were answered at which level, `repeats` for how
    many it was the same search as the full run.
    """

    set: str
    queries: int
    complete: bool
    runs: Means
    differences: Mapping[str, Differences]
    languages: Mapping[str, LanguageReport]
    levels: Mapping[str, Mapping[Level, int]]
    repeats: Mapping[str, int]


def make_report(
    dataset: EvaluationSet, trials: Sequence[Trial], *, baselines: Iterable[str]
) -> EvaluationReport:
    """Returns the report; the baselines are names of runs."""
    values = measure_runs(dataset, trials)
    return EvaluationReport(
        set=dataset.name,
        queries=len(trials),
        complete=len(trials) == len(dataset.queries),
        runs=_average(values),
        differences={baseline: _compare_all(values, baseline) for baseline in baselines},
        languages=_by_language(trials, values),
        levels={name: dict(Counter(trial.outcomes[name].level for trial in trials)) for name in values},
        repeats=dict(sorted(Counter(name for trial in trials for name in trial.repeats).items())),
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


def _compare_all(values: Mapping[str, Values], baseline: str) -> Differences:
    return {name: _compare(run, values[baseline]) for name, run in values.items() if name != baseline}


def _compare(run: Values, baseline: Values) -> Mapping[str, Difference]:
    found = {measure: compare(by_query, baseline[measure]) for measure, by_query in run.items()}
    return {measure: difference for measure, difference in found.items() if difference is not None}


def _by_language(trials: Iterable[Trial], values: Mapping[str, Values]) -> Mapping[str, LanguageReport]:
    queries: dict[str, set[str]] = {}
    for trial in trials:
        if trial.query.language is not None:
            queries.setdefault(trial.query.language, set()).add(trial.query.id)
    return {
        language: LanguageReport(queries=len(among), runs=_average(values, among))
        for language, among in sorted(queries.items())
    }
