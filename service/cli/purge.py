"""`wikitrail purge`"""

import asyncio
from pathlib import Path

import click

from indexer.purge import purge_index, to_dict
from service.cli.options import common_options, folder_argument
from service.cli.output import Output
from service.cli.wikis import WikiChoice


@click.command("purge", epilog="Example: wikitrail purge ~/notes")
@folder_argument
@common_options
def command(choice: WikiChoice, output: Output, folder: Path | None) -> None:
    """Remove deleted text from the files of an index.

    Old generations and vectors of deleted text go, the newest state stays. Run `wikitrail index` before: what
    the index still holds as a page is not deleted.
    """
    with choice.open(folder) as (_, wiki):
        report = asyncio.run(purge_index(wiki.settings.index_uri))
    output.show(
        {"status": "ok", **to_dict(report)},
        f"generation {report.generation} holds live text alone; "
        f"{report.generations} older generations and {report.vectors} vectors are gone",
    )
