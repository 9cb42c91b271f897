"""`wikitrail eval`"""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from tqdm import tqdm

from service.cli.index import describe_report as describe_run
from service.cli.options import common_options
from service.cli.output import FAILED, PARTIAL, Output
from service.cli.progress import ProgressBar
from service.cli.wikis import WikiChoice
from service.evaluation.dataset import EvaluationSet, read_set
from service.evaluation.experiment import Experiment, Trial, collect
from service.evaluation.gate import Miss, find_misses, read_floors
from service.evaluation.report import EvaluationReport, make_report, to_dict
from service.evaluation.runs import LEXICAL, RUNS, Run, default_runs
from service.evaluation.table import describe_report
from service.evaluation.trec import write_files
from service.wiring import Application, Wiki


@click.command(
    "eval", epilog="Example: wikitrail eval sets/scifact --run full --run lexical --index /tmp/scifact"
)
@click.argument("folder", metavar="SET", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--run",
    "names",
    multiple=True,
    type=click.Choice(list(RUNS)),
    help="A run to make. Repeatable.  [default: all but llm]",
)
@click.option(
    "--baseline",
    "baselines",
    multiple=True,
    type=click.Choice(list(RUNS)),
    default=[LEXICAL],
    show_default=True,
    help="A run that the others are compared with. Repeatable.",
)
@click.option(
    "--run-files",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write the rankings and judgments there, in TREC's format.",
)
@click.option(
    "--gate",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="TOML with the least value of measures by run; a measure below it fails the command.",
)
@common_options
def command(
    choice: WikiChoice,
    output: Output,
    folder: Path,
    names: tuple[str, ...],
    baselines: tuple[str, ...],
    run_files: Path | None,
    gate: Path | None,
) -> None:
    """Measure how well pages and passages are found.

    SET is a folder with corpus/, queries.jsonl and qrels.tsv, and where there are any qrels_sections.tsv and
    evidence.jsonl. Its corpus is indexed in a temporary folder; with --index the index is kept there and
    used again. Ctrl-C ends it with a report on the queries so far. docs/benchmarks.md explains runs and
    measures.
    """
    dataset = read_set(folder)
    floors = read_floors(gate) if gate else {}
    with _keep_index(choice) as kept, kept.open(dataset.corpus) as (application, wiki):
        runs = _choose_runs(names, baselines, application)
        trials, is_whole = asyncio.run(_evaluate(application, wiki, dataset, runs, output))
    report = make_report(dataset, trials, baselines=baselines)
    output.show(to_dict(report), describe_report(report))
    for line in _describe_doubts(report):
        output.tell(f"warning: {line}")
    if run_files is not None:
        _write_run_files(run_files, dataset, trials)
    if not report.complete:
        raise click.ClickException(f"interrupted after {report.queries} of {len(dataset.queries)} queries")
    misses = find_misses(floors, report.runs)
    for miss in misses:
        output.tell(f"wikitrail: {_describe_miss(miss)}")
    if misses or not is_whole:
        raise click.exceptions.Exit(FAILED if misses else PARTIAL)


@contextmanager
def _keep_index(choice: WikiChoice) -> Iterator[WikiChoice]:
    """Yields the choice with a place for the index, for as long as it is used."""
    if choice.index is not None:
        yield choice
        return
    with TemporaryDirectory(prefix="wikitrail-") as scratch:
        yield replace(choice, index=str(Path(scratch, "index")))


def _choose_runs(names: Sequence[str], baselines: Sequence[str], application: Application) -> list[Run]:
    wanted = names or default_runs(with_model=application.embedder is not None)
    return [run for name, run in RUNS.items() if name in wanted or name in baselines]


async def _evaluate(
    application: Application, wiki: Wiki, dataset: EvaluationSet, runs: Sequence[Run], output: Output
) -> tuple[tuple[Trial, ...], bool]:
    """Returns what the runs gave, and whether the whole corpus could be indexed."""
    indexed = await application.indexer(wiki.name, progress=ProgressBar()).run()
    output.tell(describe_run(indexed))
    if application.embedder is not None:
        # The first queries would else be answered without it, while it is loading.
        await asyncio.to_thread(application.embedder.embed, [dataset.queries[0].text], "query")
    if application.scorer is not None:
        await asyncio.to_thread(application.scorer.score, dataset.queries[0].text, [""])
    experiment = Experiment(
        dataset=dataset,
        runs=runs,
        rank=wiki.retriever.rank,
        retrieve=wiki.retriever.retrieve,
        generation=indexed.generation,
    )
    # None: tqdm asks whether the file is a terminal.
    bar = tqdm(dataset.queries, desc="evaluate", unit="query", file=sys.stderr, disable=None, leave=False)
    return await collect(experiment.run(bar)), indexed.status == "ok"


def _write_run_files(folder: Path, dataset: EvaluationSet, trials: Sequence[Trial]) -> None:
    try:
        write_files(folder, dataset, trials)
    except OSError as error:
        raise click.ClickException(f"cannot write the run files: {error}") from error


def _describe_doubts(report: EvaluationReport) -> Iterator[str]:
    """Yields the runs that did not measure what their names say."""
    for name, levels in report.levels.items():
        meant = RUNS[name].level
        lower = {level: number for level, number in levels.items() if level != meant}
        for level, number in lower.items():
            yield f"run {name}: {number} of {report.queries} queries answered at level {level}, not {meant}"


def _describe_miss(miss: Miss) -> str:
    found = "was not measured" if miss.value is None else f"is {miss.value:.4f}"
    return f"{miss.measure} of run {miss.run} {found}; its floor is {miss.floor}"
