"""The report as people read it."""

from collections.abc import Iterator, Sequence

from service.evaluation.bootstrap import Difference
from service.evaluation.measures import MEASURES, PACK_MEASURES
from service.evaluation.report import Differences, EvaluationReport
from service.evaluation.runs import FULL

_LANGUAGE_MEASURE = "ndcg@10"
# With their intervals more would not fit a line; the JSON has all.
_COMPARED = ("ndcg@10", "recall@5", "section_hit@1")
_NOT_MEASURED = "-"


def describe_report(report: EvaluationReport) -> str:
    """Returns means by run, what packs hold, differences from baselines, and languages if there are any."""
    return "\n\n".join(_describe_parts(report))


def _describe_parts(report: EvaluationReport) -> Iterator[str]:
    yield f"{report.set}: {report.queries} queries"
    yield _draw_means(report)
    for name, number in report.repeats.items():
        yield f"{name} is the same search as {FULL} for {number} of {report.queries} queries"
    packs = [(name, report.runs.get(FULL, {}).get(name)) for name in PACK_MEASURES]
    measured = [f"{name} {mean:.3f}" for name, mean in packs if mean is not None]
    if measured:
        yield f"packs: {', '.join(measured)}"
    for baseline, differences in report.differences.items():
        if differences:
            yield f"difference from {baseline} [95 % interval, paired bootstrap]"
            yield _draw_differences(differences)
    if report.languages:
        yield f"{_LANGUAGE_MEASURE} by language"
        yield _draw_languages(report)


def _draw_means(report: EvaluationReport) -> str:
    runs = report.runs
    taken = [
        name
        for name in MEASURES
        if name not in PACK_MEASURES and any(run[name] is not None for run in runs.values())
    ]
    rows = [[name, *(_show_mean(run[measure]) for measure in taken)] for name, run in runs.items()]
    return _draw([["run", *taken], *rows])


def _draw_differences(differences: Differences) -> str:
    taken = [name for name in _COMPARED if any(name in run for run in differences.values())]
    rows = [
        [name, *(_show_difference(run.get(measure)) for measure in taken)]
        for name, run in differences.items()
    ]
    return _draw([["run", *taken], *rows])


def _draw_languages(report: EvaluationReport) -> str:
    rows = [
        [name, str(found.queries), *(_show_mean(found.runs[run][_LANGUAGE_MEASURE]) for run in report.runs)]
        for name, found in report.languages.items()
    ]
    return _draw([["language", "queries", *report.runs], *rows])


def _show_mean(mean: float | None) -> str:
    return _NOT_MEASURED if mean is None else f"{mean:.3f}"


def _show_difference(difference: Difference | None) -> str:
    if difference is None:
        return _NOT_MEASURED
    return f"{difference.mean:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]"


def _draw(rows: Sequence[Sequence[str]]) -> str:
    """Returns rows in columns; the first is set left, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    )
