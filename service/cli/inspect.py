"""`wikitrail inspect`"""

import asyncio
import textwrap
from pathlib import Path

import click

from retrieval.chunks import read_chunks
from retrieval.filters import check_text
from retrieval.pages import PageQuery, read_links, read_page
from retrieval.request import MAX_PATH_PREFIX_LENGTH
from service.cli.options import common_options, split_folder
from service.cli.output import Output, show_name
from service.cli.wikis import WikiChoice
from service.wire.pages import ChunkAnswer, LinkAnswer, PageAnswer

_page_argument = click.argument("words", metavar="[WIKI] PAGE", nargs=-1, required=True)


@click.group("inspect")
def command() -> None:
    """Show what the index knows of a page.

    PAGE is its path in the wiki, as search results show it.
    """


@command.command(
    "chunks", epilog="Example: wikitrail inspect chunks ops/deploy.md --index ~/notes/.wikitrail"
)
@_page_argument
@common_options
def inspect_chunks(choice: WikiChoice, output: Output, words: tuple[str, ...]) -> None:
    """Show the passages that a page is made of."""
    folder, path = _split_page(words)
    with choice.open(folder) as (_, wiki):
        found = asyncio.run(wiki.reader.read(lambda snapshot: read_chunks(snapshot, path)))
    chunks = [ChunkAnswer.of(chunk) for chunk in found]
    output.show([chunk.model_dump() for chunk in chunks], "\n\n".join(map(_describe_chunk, chunks)))


@command.command("links", epilog="Example: wikitrail inspect links ops/deploy.md --index ~/notes/.wikitrail")
@_page_argument
@common_options
def inspect_links(choice: WikiChoice, output: Output, words: tuple[str, ...]) -> None:
    """Show the links of a page and where they lead."""
    folder, path = _split_page(words)
    with choice.open(folder) as (_, wiki):
        found = asyncio.run(wiki.reader.read(lambda snapshot: read_links(snapshot, path)))
    links = [LinkAnswer.of(link) for link in found.links]
    output.show([link.model_dump() for link in links], "\n".join(map(_describe_link, links)))


@command.command("page", epilog="Example: wikitrail inspect page ~/notes ops/deploy.md")
@_page_argument
@common_options
def inspect_page(choice: WikiChoice, output: Output, words: tuple[str, ...]) -> None:
    """Show a page as the index holds it."""
    folder, path = _split_page(words)
    with choice.open(folder) as (_, wiki):
        found = asyncio.run(wiki.reader.read(lambda snapshot: read_page(snapshot, PageQuery(path=path))))
    page = PageAnswer.of(found)
    output.show(page.model_dump(), _describe_page(page))


def _split_page(words: tuple[str, ...]) -> tuple[Path | None, str]:
    """Returns the folder, if there is one, and the path of the page.

    Raises:
        UsageError: No page can have this path.
    """
    folder, path = split_folder(words, "page")
    try:
        return folder, check_text(path, longest=MAX_PATH_PREFIX_LENGTH)
    except ValueError as error:
        raise click.UsageError(f"page: {error}") from None


def _describe_chunk(chunk: ChunkAnswer) -> str:
    headings = " > ".join(chunk.heading_path) or "(no heading)"
    head = f"lines {chunk.line_start}-{chunk.line_end}  {headings}  {chunk.tokens} tokens"
    return f"{show_name(head)}\n{textwrap.indent(chunk.text, '    ')}"


def _describe_link(link: LinkAnswer) -> str:
    place = link.page or ", ".join(link.candidates)
    line = f":{link.target_line}" if link.target_line else ""
    return show_name(f"line {link.line}  {link.kind}  {link.target}  {link.status}  {place}{line}".rstrip())


def _describe_page(page: PageAnswer) -> str:
    facts = [f"{page.path}  {page.title}  {page.lines} lines  {page.language}  modified {page.modified}"]
    facts += [f"read as {page.encoding}"] if page.encoding != "utf-8" else []
    for name, values in (("aliases", page.aliases), ("tags", page.tags)):
        facts += [f"{name}: {', '.join(values)}"] if values else []
    return "\n".join(map(show_name, facts)) + f"\n\n{page.text}"
