"""`wikitrail status`"""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import click

from service.cli.options import common_options, folder_argument
from service.cli.output import (
    FAILED,
    PARTIAL,
    Output,
    describe_changes,
    describe_issue,
    describe_shares,
)
from service.cli.wikis import WikiChoice
from service.status import read_status
from service.wire.status import QualityAnswer, StatusAnswer, TuningAnswer, WikiAnswer


@click.command("status", epilog="Example: wikitrail status ~/notes --json")
@folder_argument
@common_options
def command(choice: WikiChoice, output: Output, folder: Path | None) -> None:
    """Tell what an index holds and what is wrong with it.

    The exit code is 1 where there is no usable index and 3 where pages failed.
    """
    with choice.open_all(folder) as application:
        status = asyncio.run(read_status(application))
    output.show(status.model_dump(), "\n\n".join(map(_describe, status.wikis)))
    if code := _exit_code(status):
        raise click.exceptions.Exit(code)


def _exit_code(status: StatusAnswer) -> int:
    if any(wiki.state == "unavailable" for wiki in status.wikis):
        return FAILED
    return PARTIAL if any(wiki.failed_pages for wiki in status.wikis) else 0


def _describe(wiki: WikiAnswer) -> str:
    if wiki.counts is None or wiki.build is None:
        return f"{wiki.wiki}: {wiki.code}; run `wikitrail index`"
    counts, build = wiki.counts, wiki.build
    lines = [
        f"{wiki.wiki}: generation {wiki.generation} of {wiki.indexed}, answers at level {wiki.level}"
        + (", read-only" if wiki.read_only else ""),
        f"  {counts.pages} pages, {counts.chunks} passages, {counts.links} links",
        f"  pages by language: {_list_languages(counts.languages)}",
        f"  vectors of {build.model or 'no model'}: {counts.embedded} embedded, {counts.pending} pending, "
        f"{counts.failed} failed",
    ]
    if wiki.quality is not None:
        lines += _describe_quality(wiki.quality, wiki.tuning)
    if counts.issues:
        lines.append(f"  {counts.issues} issues, {len(wiki.failed_pages)} failed pages")
    lines += [f"    {describe_issue(issue)}" for issue in wiki.issues]
    return "\n".join(lines)


def _list_languages(languages: Mapping[str, int]) -> str:
    """Returns the languages of an index with their pages, the most frequent first."""
    ranked = sorted(languages.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{language} {pages}" for language, pages in ranked) or "none"


def _describe_quality(quality: QualityAnswer, tuning: TuningAnswer | None) -> list[str]:
    shares = describe_shares({"page": quality.page, "lexical": quality.lexical})
    if tuning is None:
        return [f"  share of full quality, on public sets: {shares}; `wikitrail tune` measures this wiki"]
    labels = f"{sum(tuning.labels.values())} labels of generation {tuning.generation}, {tuning.created}"
    if not tuning.at_work:
        return [
            f"  share of full quality, on public sets: {shares}",
            f"  tuned to {labels}, but for other vectors or terms; run `wikitrail tune`",
        ]
    weights = describe_changes(tuning.changed) or "the default weights"
    floor = "the default floor" if tuning.floor is None else f"floor {tuning.floor}"
    return [f"  share of full quality: {shares}", f"  tuned to {labels}: {weights}, {floor}"]
