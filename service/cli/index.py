"""`wikitrail index`"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import click

from indexer.bounds import Bounds, parse_bounds
from indexer.errors import InvalidPath
from indexer.options import RunMode
from indexer.report import IndexReport, Issue, PageCounts, RunPreview, to_dict
from service.cli.options import common_options, folder_argument
from service.cli.output import PARTIAL, Output, describe_issue, show_name
from service.cli.progress import ProgressBar
from service.cli.wikis import WikiChoice

_SHOWN_ISSUES = 20


def _read_bounds(paths: tuple[str, ...]) -> Bounds:
    try:
        return parse_bounds(paths)
    except InvalidPath as error:
        raise click.BadParameter(str(error)) from None


@click.command(
    "index",
    epilog='Example: wikitrail index ~/notes --dry-run --path "ops/"',
)
@folder_argument
@click.option("--full", is_flag=True, help="Read every page and build all tables anew.")
@click.option("--dry-run", is_flag=True, help="Tell what a run would do, and write nothing.")
@click.option(
    "--path",
    "bounds",
    multiple=True,
    metavar="PATH",
    callback=lambda _, __, paths: _read_bounds(paths),
    help="Only this page or folder of the wiki; the rest stays as it is in the index. Repeatable.",
)
@click.option("--allow-empty", is_flag=True, help="Remove pages whose folder is empty or unmounted now.")
@common_options
def command(
    choice: WikiChoice,
    output: Output,
    folder: Path | None,
    full: bool,
    dry_run: bool,
    bounds: Bounds,
    allow_empty: bool,
) -> None:
    """Bring the index of a wiki up to date.

    Only what changed is read and embedded. Pages that cannot be read or embedded are listed, tried again by
    the next run, and make the exit code 3.
    """
    mode: RunMode = "full" if full else "incremental"
    with choice.open(folder) as (application, wiki):
        indexer = application.indexer(wiki.name, allow_empty=allow_empty, progress=ProgressBar())
        if dry_run:
            preview = asyncio.run(indexer.preview(mode, bounds=bounds))
            _show(output, preview, describe_preview(preview))
        else:
            report = asyncio.run(indexer.run(mode, bounds=bounds))
            _show(output, report, describe_report(report))


def _show(output: Output, report: IndexReport | RunPreview, text: str) -> None:
    output.show(to_dict(report), text)
    if report.status == "partial":
        raise click.exceptions.Exit(PARTIAL)


def describe_preview(preview: RunPreview) -> str:
    """Returns for people what a run would do."""
    changes = preview.changes
    lines = [
        f"{preview.pages.total} pages after a run ({_list_counts(preview.pages)}), in "
        f"{'new tables' if preview.rebuild else 'the index'}",
        f"vectors: at most {preview.chunks.embedded} passages to embed",
        *(show_name(f"  added    {path}") for path in changes.added),
        *(show_name(f"  changed  {path}") for path in changes.changed),
        *(show_name(f"  moved    {move.source} -> {move.target}") for move in changes.moved),
        *(show_name(f"  deleted  {path}") for path in changes.deleted),
    ]
    return "\n".join([*lines, *_list_issues(preview.issues)])


def describe_report(report: IndexReport) -> str:
    """Returns the report for people."""
    pages, chunks = report.pages, report.chunks
    links = ", ".join(f"{number} {status}" for status, number in report.links.items()) or "none"
    lines = [
        f"generation {report.generation}: {pages.total} pages ({_list_counts(pages)}), "
        f"{chunks.total} passages, {report.seconds.get('total', 0.0):.1f} s",
        f"vectors: {chunks.embedded} embedded, {chunks.reused} reused, {chunks.pending} pending",
        f"links: {links}",
    ]
    return "\n".join([*lines, *_list_issues(report.issues)])


def _list_issues(issues: Sequence[Issue]) -> list[str]:
    if not issues:
        return []
    lines = [f"issues: {len(issues)}", *(f"  {describe_issue(issue)}" for issue in issues[:_SHOWN_ISSUES])]
    if len(issues) > _SHOWN_ISSUES:
        lines.append(f"  and {len(issues) - _SHOWN_ISSUES} more; --json lists them all")
    return lines


def _list_counts(pages: PageCounts) -> str:
    counts = {
        name: getattr(pages, name) for name in ("added", "changed", "moved", "deleted", "unchanged", "failed")
    }
    return ", ".join(f"{number} {name}" for name, number in counts.items() if number) or "none"
