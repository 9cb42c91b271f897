"""`wikitrail verify`"""

import asyncio
import json
import textwrap
from typing import Any

import click
from pydantic import ValidationError

from service.cli.options import common_options, split_folder
from service.cli.output import FAILED, PARTIAL, Output
from service.cli.wikis import WikiChoice
from service.verification import verify
from service.wire.verify import VerdictAnswer, VerifyAnswer, VerifyBody

_MAX_FILE_BYTES = 16 * 1024 * 1024
_WIDTH = 100


@click.command("verify", epilog="Example: wikitrail verify ~/notes pack.json")
@click.argument("words", metavar="[WIKI] FILE", nargs=-1, required=True)
@common_options
def command(choice: WikiChoice, output: Output, words: tuple[str, ...]) -> None:
    """Tell whether citations, or quotations in a text, still hold.

    FILE is an evidence pack as `search --json` prints it, a JSON list of citations, or a finished text with
    quotations in it; `-` is standard input. The exit code is 1 where something has changed or is deleted, and
    3 where nothing has but something could not be told.
    """
    folder, name = split_folder(words, "file")
    body = _read_body(_read_file(name))
    with choice.open(folder) as (_, wiki):
        answer = asyncio.run(verify(wiki, body))
    output.show(answer.model_dump(), _describe(answer))
    if code := _exit_code(answer):
        raise click.exceptions.Exit(code)


def _read_file(name: str) -> str:
    try:
        with click.open_file(name, "rb") as file:
            raw: bytes = file.read(_MAX_FILE_BYTES + 1)
        if len(raw) > _MAX_FILE_BYTES:
            raise click.UsageError(f"{name} is larger than {_MAX_FILE_BYTES} bytes; split it")
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise click.UsageError(f"{name} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise click.UsageError(f"{name} is not UTF-8") from None


def _read_body(content: str) -> VerifyBody:
    """Returns the request that a file stands for.

    Raises:
        UsageError: It has too many citations, or a wrong one; names it.
    """
    citations = _read_citations(content)
    asked: dict[str, Any] = {"text": content} if citations is None else {"citations": citations}
    try:
        return VerifyBody.model_validate(asked)
    except ValidationError as error:
        problem = error.errors()[0]
        name = ".".join(map(str, problem["loc"])) or "file"
        raise click.UsageError(f"{name}: {problem['msg'].removeprefix('Value error, ')}") from None


def _read_citations(content: str) -> list[Any] | None:
    """Returns the citations of a pack with the texts it quotes, or of a list; None if it is neither."""
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if isinstance(parsed, dict) and isinstance(evidence := parsed.get("evidence"), list):
        return [_read_evidence(passage) for passage in evidence]
    return parsed if isinstance(parsed, list) else None


def _read_evidence(passage: Any) -> Any:
    try:
        return {**passage["citation"], "text": passage["text"]}
    except (KeyError, TypeError):
        raise click.UsageError("evidence: not that of a pack") from None


def _describe(answer: VerifyAnswer) -> str:
    if not answer.results:
        return "nothing to verify"
    parts = [_describe_result(number, result) for number, result in enumerate(answer.results, 1)]
    counts = ", ".join(f"{count} {status}" for status, count in answer.counts.items() if count)
    left_out = f"; {answer.left_out} more were left out" if answer.left_out else ""
    return "\n".join([*parts, "", f"{counts}{left_out}"])


def _describe_result(number: int, result: VerdictAnswer) -> str:
    place = f"{result.path}:{result.line_start}-{result.line_end}" if result.path else "-"
    lines = [f"{number:>3}  {result.status:<8}  {place}  {result.detail}"]
    if result.quote is not None:
        quoted = " ".join(result.quote.text.split())
        lines.append(f"               line {result.quote.line}: {textwrap.shorten(quoted, _WIDTH)}")
    return "\n".join(lines)


def _exit_code(answer: VerifyAnswer) -> int:
    if answer.counts["changed"] or answer.counts["deleted"]:
        return FAILED
    return PARTIAL if answer.counts["unknown"] or answer.left_out else 0
