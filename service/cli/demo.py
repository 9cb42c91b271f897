"""`wikitrail demo`"""

import asyncio
import json
import shutil
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPConnection
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urljoin

import click

from service.cli.index import describe_report
from service.cli.options import common_options, folder_argument
from service.cli.output import Output
from service.cli.passages import describe_pack
from service.cli.progress import ProgressBar
from service.cli.request import read_request
from service.cli.wikis import WikiChoice
from service.http.app import create_app
from service.server import address_of, listen, serve_beside
from service.settings import Settings
from service.wire.pack import EvidenceAnswer
from service.wiring import Application

_SAMPLE_QUERY = "How often is the inlet of the stilling well cleaned?"
_QUERY = "Where do I start?"
_ANSWER_SECONDS = 60


@click.command("demo", epilog='Example: wikitrail demo ~/notes --query "how do I roll back?"')
@folder_argument
@click.option("--query", metavar="TEXT", help="What to ask.")
@common_options
def command(choice: WikiChoice, output: Output, folder: Path | None, query: str | None) -> None:
    """Index a wiki, serve it and ask it, in one go.

    Without WIKI it is the handbook of a small tide station that comes with wikitrail. The index is made in a
    temporary folder; nothing is written into the wiki. On a terminal the service stays up until Ctrl-C.
    """
    asked = read_request(query or (_QUERY if folder else _SAMPLE_QUERY), {})
    with TemporaryDirectory(prefix="wikitrail-") as scratch:
        root = folder or _copy_sample(Path(scratch))
        with replace(choice, index=str(Path(scratch, "index"))).open(root) as (application, wiki):
            report = asyncio.run(application.indexer(wiki.name, progress=ProgressBar()).run())
            output.tell(describe_report(report))
            _serve_and_ask(application, {**asked.model_dump(), "wiki": wiki.name}, output)


def _copy_sample(scratch: Path) -> Path:
    """Copies the sample wiki, whose place may be read-only."""
    with as_file(files("service") / "sample_wiki") as sample:
        return Path(shutil.copytree(sample, scratch / "sample wiki"))


def _serve_and_ask(application: Application, request: Mapping[str, Any], output: Output) -> None:
    listener = listen("127.0.0.1", 0)
    address = address_of(listener)
    with serve_beside(create_app(application), listener):
        output.tell(f"asking {address}: {request['query']}\n")
        pack = _ask(listener.getsockname()[:2], request, application.settings)
        answer = EvidenceAnswer.model_validate(pack)
        output.show(pack, describe_pack(answer))
        if answer.evidence:
            output.tell(f"\nopen {urljoin(address, answer.evidence[0].citation.url)}")
        if sys.stdin.isatty() and sys.stdout.isatty():
            output.tell(f"serving at {address}; Ctrl-C stops")
            with suppress(KeyboardInterrupt):
                threading.Event().wait()


def _ask(place: tuple[str, int], request: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    headers = {"Content-Type": "application/json"}
    if settings.api_token is not None:
        headers["Authorization"] = f"Bearer {settings.api_token.get_secret_value()}"
    connection = HTTPConnection(*place, timeout=_ANSWER_SECONDS)
    try:
        connection.request("POST", "/v1/evidence", json.dumps(request), headers)
        response = connection.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
    finally:
        connection.close()
    if response.status != 200:
        raise click.ClickException(answer["detail"])
    return answer
