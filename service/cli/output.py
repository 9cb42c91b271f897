"""What a command prints: its result on standard output, all else on standard error."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import click
import regex

from chunking import WikitrailError
from indexer.report import Issue
from retrieval.warnings import Level
from service.wire.status import IssueAnswer

FAILED = 1
PARTIAL = 3

_LEVELS: Mapping[Level, str] = {
    "chunk": "passage vectors",
    "page": "page vectors",
    "llm": "a language model",
    "lexical": "words alone",
}

# Beside those that command a terminal, those that turn the order of what stands beside them around.
_CONTROLS = regex.compile(r"[\p{Cc}\u202a-\u202e\u2066-\u2069--[\n\t]]", flags=regex.VERSION1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Prints for people, or for programs with `as_json`."""

    as_json: bool

    def show(self, value: Mapping[str, Any] | list[Any], text: str) -> None:
        """Prints the result: `value` as JSON for programs, `text` for people."""
        click.echo(json.dumps(value, allow_nan=False) if self.as_json else sanitize(text))

    def tell(self, text: str) -> None:
        """Tells people what goes on, beside the result."""
        click.echo(sanitize(text), err=True)

    def fail(self, error: WikitrailError) -> NoReturn:
        """Tells why there is no result and ends the command."""
        self.tell(show_name(f"wikitrail: {error}"))
        if self.as_json:
            click.echo(json.dumps({"status": "error", "code": error.code, "detail": str(error)}))
        raise click.exceptions.Exit(FAILED)


def describe_issue(issue: Issue | IssueAnswer) -> str:
    """Returns what is wrong with a page, and where."""
    line = f":{issue.line}" if issue.line else ""
    return show_name(f"{issue.path}{line}  {issue.code}  {issue.detail}")


def describe_shares(shares: Mapping[Level, float]) -> str:
    """Returns the share of full quality that each lower level has."""
    return ", ".join(f"{_LEVELS[level]} {share:.0%}" for level, share in shares.items())


def describe_changes(changes: Mapping[str, tuple[float, float]]) -> str:
    """Returns the weights of a ranking that are not the default ones."""
    return ", ".join(f"{name} {own} instead of {default}" for name, (default, own) in changes.items())


def sanitize(text: str) -> str:
    """Returns `text` without control characters: a page may hold some that command a terminal."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def show_name(name: str) -> str:
    """Returns a name of the wiki on one line: files and headings may have line feeds in theirs."""
    return name.replace("\n", "\N{SYMBOL FOR LINE FEED}")
