"""The command line.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done with issues of pages. With `--json` the result is alone on
standard output; everything else goes to standard error.
"""

from importlib import import_module

import click

_COMMANDS = {
    "index": "Bring the index of a wiki up to date.",
    "search": "Find passages that answer a query.",
    "verify": "Tell whether citations and quotations still hold.",
    "serve": "Answer queries over HTTP.",
    "status": "Tell what an index holds and what is wrong with it.",
    "inspect": "Show what the index knows of a page.",
    "eval": "Measure how well pages and passages are found.",
    "tune": "Fit the ranking to a wiki, with labels that it holds itself.",
    "purge": "Remove deleted text from the files of an index.",
    "demo": "Index a wiki, serve it and ask it, in one go.",
}


class _Commands(click.Group):
    """Imports a command's module when it is called, so that help does not wait for the storage library."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Returns the names in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, _: click.Context, cmd_name: str) -> click.Command | None:
        """Imports a command."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"service.cli.{cmd_name}").command
        return command

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="wikitrail")
def main() -> None:
    """Find cited evidence in a folder of Markdown.

    Every command takes the folder of a wiki, an --index, or the --wiki of a settings file; without any of
    these, the settings' default wiki, and without settings the current folder.

    \b
    Example:
      wikitrail index ~/notes
      wikitrail search ~/notes "how do I roll back?"
    """
