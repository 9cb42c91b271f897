"""`wikitrail serve`"""

import logging
from contextlib import suppress
from pathlib import Path

import click

from service.cli.options import common_options, folder_argument
from service.cli.output import Output
from service.cli.wikis import WikiChoice
from service.http.app import create_app
from service.server import address_of, listen, run_server

_log = logging.getLogger(__name__)


@click.command("serve", epilog="Example: wikitrail serve ~/notes --port 8123")
@folder_argument
@click.option("--host", metavar="ADDRESS", help="Address to listen on.  [default: 127.0.0.1]")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port to listen on; 0 takes a free one.  [default: 8123]"
)
@common_options
def command(
    choice: WikiChoice, output: Output, folder: Path | None, host: str | None, port: int | None
) -> None:
    """Answer queries over HTTP.

    All wikis of the settings are served, or the one that is named. It starts without an index, too, and
    answers as soon as there is one.
    """
    with choice.open_all(folder) as application:
        server = application.settings.server
        app = create_app(application)
        listener = listen(host or server.host, server.port if port is None else port)
        address, names = address_of(listener), list(application.wikis)
        message = f"wikitrail serves {', '.join(names)} at {address}"
        if application.settings.log_format == "json":
            _log.info(message)  # standard error is for machines then
        else:
            click.echo(message, err=True)
        if output.as_json:
            output.show({"address": address, "wikis": names}, "")
        with suppress(KeyboardInterrupt):
            run_server(app, listener)
