"""`wikitrail tune`"""

import asyncio
from pathlib import Path

import click

from indexer.tuning import commit_tuning
from retrieval.tuning import Tuning
from retrieval.weights import list_changes
from service.cli.options import common_options, folder_argument
from service.cli.output import Output, describe_changes, describe_shares
from service.cli.progress import ProgressBar
from service.cli.wikis import WikiChoice
from service.tuning.floor import FloorFit
from service.tuning.report import to_dict
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
    output.show(to_dict(result, generation=generation), describe_result(result, generation=generation))


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


def describe_result(result: TuningResult, *, generation: int | None) -> str:
    """Returns for people what a tuning found."""
    kinds = ", ".join(f"{count} of kind {kind}" for kind, count in result.labels.items()) or "none"
    lines = [f"labels: {kinds}; {result.fitted} to fit to, {result.held_back} held back"]
    if result.tuning is None or result.floor is None:
        return "\n".join((*lines, "too few to tell anything from chance: the defaults stay"))
    lines += [
        _describe_weights(result.tuning),
        _describe_floor(result.floor),
        f"share of full quality: {describe_shares(result.tuning.shares)}",
        "nothing was written" if generation is None else f"generation {generation} has this tuning",
    ]
    return "\n".join(lines)


def _describe_weights(tuning: Tuning) -> str:
    gain = tuning.provenance.gain
    if gain.is_none:
        return f"weights: the defaults fit; quality of held-back labels {gain.before:.3f}"
    figures = (
        f"quality of held-back labels {gain.before:.3f} -> {gain.after:.3f} "
        f"(difference {gain.low:+.3f} to {gain.high:+.3f})"
    )
    if not gain.taken:
        return f"weights: the defaults stay, what others gain may be chance; {figures}"
    return f"weights: {describe_changes(list_changes(tuning.weights))}; {figures}"


def _describe_floor(floor: FloorFit) -> str:
    used = f"{floor.default:.2f}, the default" if floor.fitted is None else f"{floor.fitted:.2f}"
    return (
        f"floor: {used}; refuses {floor.refused:.0%} of held-back labels, "
        f"{floor.refused_without:.0%} where their pages are left out"
    )
