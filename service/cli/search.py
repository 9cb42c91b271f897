"""`wikitrail search`"""

import asyncio
from typing import Any, get_args

import click

from retrieval.pack import to_dict
from retrieval.request import MAX_HOPS, MAX_K, MAX_TIMEOUT_MS, MIN_K, Mode
from service.cli.options import common_options, split_folder
from service.cli.output import Output
from service.cli.passages import describe_pack
from service.cli.request import read_request
from service.cli.wikis import WikiChoice
from service.wire.pack import EvidenceAnswer


@click.command("search", epilog='Example: wikitrail search ~/notes "how do I roll back?" --path-prefix ops/')
@click.argument("words", metavar="[WIKI] QUERY", nargs=-1, required=True)
@click.option("-k", type=click.IntRange(MIN_K, MAX_K), help="Most passages.  [default: 8]")
@click.option("--max-tokens", type=int, help="Most tokens of all passages.  [default: 4000]")
@click.option("--path-prefix", metavar="PATH", help="Only this page, or pages below this folder.")
@click.option("--filters", metavar="JSON", help="Only pages that match, in the grammar of the HTTP service.")
@click.option("--mode", type=click.Choice(get_args(Mode)), help="Level to search at.  [default: auto]")
@click.option("--hops", type=click.IntRange(0, MAX_HOPS), help="How far links are followed.  [default: 1]")
@click.option("--min-score", type=float, help="Least probability of being relevant.")
@click.option("--nearest", is_flag=True, default=None, help="Show what is nearest even if it is unlikely.")
@click.option("--generation", type=int, help="A kept state of the index, by number.")
@common_options
def command(choice: WikiChoice, output: Output, words: tuple[str, ...], **asked: Any) -> None:
    """Find passages that answer a query.

    Each comes with the lines it stands in, its heading path and the probability that it is relevant.
    """
    folder, query = split_folder(words, "query")
    # It loads the model for this one query, and nobody else waits.
    body = read_request(query, {**asked, "timeout_ms": MAX_TIMEOUT_MS})
    with choice.open(folder) as (_, wiki):
        pack = to_dict(asyncio.run(wiki.retriever.retrieve(body.to_request(wiki.name))))
    output.show(pack, describe_pack(EvidenceAnswer.model_validate(pack)))
