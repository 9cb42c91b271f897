"""`wikitrail tune`"""

import asyncio
from pathlib import Path

import click

from indexer.tuning import commit_tuning
from service.cli.options import common_options, folder_argument
from service.cli.output import Output
from service.cli.progress import ProgressBar
from service.cli.wikis import WikiChoice
from service.tuning.report import describe, to_dict
from service.tuning.tuner import LEAST_LABELS, TuningResult, tune_wiki
from service.wiring import Application, Wiki


@click.command("tune", epilog="Example: wikitrail tune ~/notes --dry-run")
@folder_argument
@click.option("--dry-run", is_flag=True, help="Tell what would be fitted, and write nothing.")
@click.option("--reset", is_flag=True, help="Go back to the default weights and floor.")
@click.option(
    "--limit",
    type=click.IntRange(min=2 * LEAST_LABELS),
    default=400,
    show_default=True,
    help="Labels to try at most.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Other seeds draw other labels.")
@common_options
def command(
    choice: WikiChoice,
    output: Output,
    folder: Path | None,
    dry_run: bool,
    reset: bool,
    limit: int,
    seed: int,
) -> None:
    """Fit the ranking to a wiki, with labels that it holds itself.

    Texts of links, headings and aliases are queries whose answers are known. Weights and the floor are fitted
    to one half of them; they are taken if the other half gains by them. Measured besides is how good answers
    are without passage vectors. All of it is kept with the index as a new generation.
    """
    with choice.open(folder) as (application, wiki):
        if reset:
            _reset(application, wiki, output, dry_run=dry_run)
            return
        result = asyncio.run(tune_wiki(application, wiki, limit=limit, seed=seed, progress=ProgressBar()))
        generation = None if dry_run else _commit(application, wiki, result)
    output.show(to_dict(result, generation=generation), describe(result, generation=generation))


def _commit(application: Application, wiki: Wiki, result: TuningResult) -> int | None:
    if result.tuning is None:
        return None
    committed = commit_tuning(
        wiki.settings.index_uri,
        result.tuning,
        retention=application.settings.index.retention,
        clock=application.clock,
    )
    return asyncio.run(committed).number


def _reset(application: Application, wiki: Wiki, output: Output, *, dry_run: bool) -> None:
    if dry_run:
        raise click.UsageError("--reset and --dry-run say the opposite of each other")
    committed = commit_tuning(
        wiki.settings.index_uri,
        None,
        retention=application.settings.index.retention,
        clock=application.clock,
    )
    generation = asyncio.run(committed).number
    output.show(
        {"status": "reset", "generation": generation},
        f"generation {generation} has the default weights and floor",
    )
