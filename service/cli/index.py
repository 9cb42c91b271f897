"""`wikitrail index`"""

import asyncio
from pathlib import Path

import click

from indexer.report import IndexReport, to_dict
from service.cli.options import common_options, folder_argument
from service.cli.output import PARTIAL, Output, describe_issue
from service.cli.progress import ProgressBar
from service.cli.wikis import WikiChoice

_SHOWN_ISSUES = 20


@click.command(
    "index",
    epilog='Example: wikitrail index ~/notes --exclude "drafts/"',
)
@folder_argument
@click.option("--full", is_flag=True, help="Read every page and build all tables anew.")
@click.option("--allow-empty", is_flag=True, help="Empty the index if the folder holds no pages any more.")
@common_options
def command(choice: WikiChoice, output: Output, folder: Path | None, full: bool, allow_empty: bool) -> None:
    """Bring the index of a wiki up to date.

    Only what changed is read and embedded. Pages that cannot be read or embedded are listed, tried again by
    the next run, and make the exit code 3.
    """
    with choice.open(folder) as (application, wiki):
        indexer = application.indexer(wiki.name, allow_empty=allow_empty, progress=ProgressBar())
        report = asyncio.run(indexer.run("full" if full else "incremental"))
    output.show(to_dict(report), describe_report(report))
    if report.status == "partial":
        raise click.exceptions.Exit(PARTIAL)


def describe_report(report: IndexReport) -> str:
    """Returns the report for people."""
    pages, chunks = report.pages, report.chunks
    changes = {
        name: getattr(pages, name) for name in ("added", "changed", "moved", "deleted", "unchanged", "failed")
    }
    links = ", ".join(f"{number} {status}" for status, number in report.links.items()) or "none"
    lines = [
        f"generation {report.generation}: {pages.total} pages ({_list_counts(changes)}), "
        f"{chunks.total} passages, {report.seconds.get('total', 0.0):.1f} s",
        f"vectors: {chunks.embedded} embedded, {chunks.reused} reused, {chunks.pending} pending",
        f"links: {links}",
    ]
    if report.issues:
        lines.append(f"issues: {len(report.issues)}")
        lines += [f"  {describe_issue(issue)}" for issue in report.issues[:_SHOWN_ISSUES]]
    if len(report.issues) > _SHOWN_ISSUES:
        lines.append(f"  and {len(report.issues) - _SHOWN_ISSUES} more; --json lists them all")
    return "\n".join(lines)


def _list_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items() if number) or "none"
