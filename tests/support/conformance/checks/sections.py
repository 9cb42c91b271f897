"""Chunks against the sections that a case expects.

A chunk's text is verbatim, with line ends as on disk. The cases speak of text as lines, so `has`, `lacks` and
`contains` look at it with every line end written as a line feed; `verbatim` compares exactly.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.case import Instruction, demand
from conformance.instructions import CHECKS
from conformance.world import World

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chunk:
    id: str
    heading_path: list[str]
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Expected:
    """`end` is the last line that is not blank; an `optional` section has no body and may have no chunk."""

    heading_path: list[str]
    start: int
    end: int
    has: Sequence[str] = ()
    lacks: Sequence[str] = ()
    optional: bool = False


def list_chunks(world: World, path: str) -> list[_Chunk]:
    """Returns the chunks of a page in its order."""
    rows = [row for row in world.product.rows("chunks") if row["path"] == path]
    return [
        _Chunk(
            id=row["chunk_id"],
            heading_path=row["heading_path"],
            start=row["line_start"],
            end=row["line_end"],
            text=as_lines(row["text"]),
        )
        for row in sorted(rows, key=lambda row: int(row["ordinal"]))
    ]


def as_lines(text: str) -> str:
    """Writes every line end as a line feed."""
    return _LINE_END.sub("\n", text)


@CHECKS.add("sections")
def check_sections(world: World, *, path: str, sections: Sequence[Instruction]) -> None:
    """Every section is covered exactly by its chunks, and there are no others."""
    expected = [_Expected(**section) for section in sections]
    blank = _blank_lines(world, path)
    chunks = list_chunks(world, path)
    known = [section.heading_path for section in expected]
    for chunk in chunks:
        demand(chunk.heading_path in known, f"{path}: unexpected section {chunk.heading_path}")
    for section in expected:
        _check_section(path, section, _chunks_of(section, expected, chunks), blank)


def _chunks_of(section: _Expected, expected: Sequence[_Expected], chunks: Iterable[_Chunk]) -> list[_Chunk]:
    """Returns the chunks with this heading path, up to where the next section of the same path begins."""
    twins = [entry.start for entry in expected if entry.heading_path == section.heading_path]
    following = min((start for start in twins if start > section.start), default=None)
    first = section.start == min(twins)
    return [
        chunk
        for chunk in chunks
        if chunk.heading_path == section.heading_path
        and (first or chunk.start >= section.start)
        and (following is None or chunk.start < following)
    ]


def _check_section(path: str, section: _Expected, chunks: Sequence[_Chunk], blank: set[int]) -> None:
    where = f"{path} {section.heading_path}"
    if not chunks:
        demand(section.optional, f"{where}: no chunk")
        return
    covered = {line for chunk in chunks for line in range(chunk.start, chunk.end + 1)}
    wanted = set(range(section.start, section.end + 1))
    found = f"lines {min(covered)}-{max(covered)}, expected {section.start}-{section.end}"
    demand(min(covered) == section.start, f"{where}: {found}")
    demand(wanted - blank == covered - blank, f"{where}: {found}")
    text = "\n".join(chunk.text for chunk in chunks)
    for part in section.has:
        demand(part in text, f"{where}: {part!r} is not in its text")
    for part in section.lacks:
        shown = [text, *section.heading_path]
        demand(not any(part in piece for piece in shown), f"{where}: {part!r} is in its text or path")


@CHECKS.add("coverage")
def check_coverage(world: World, *, path: str, exclude_lines: Sequence[int]) -> None:
    """Every line that is not blank lies in a chunk, and no chunk outside of the file."""
    lines = _read_lines(world, path)
    chunks = list_chunks(world, path)
    covered = {line for chunk in chunks for line in range(chunk.start, chunk.end + 1)}
    body = set(range(1, len(lines) + 1)) - _blank_lines(world, path) - set(exclude_lines)
    demand(body <= covered, f"{path}: lines {sorted(body - covered)[:10]} are in no chunk")
    demand(covered <= set(range(1, len(lines) + 1)), f"{path}: a chunk lies outside of {len(lines)} lines")
    for chunk in chunks:
        demand(chunk.text.strip().strip("`~"), f"{path}: lines {chunk.start}-{chunk.end} are only a fence")


@CHECKS.add("verbatim")
def check_verbatim(world: World, *, path: str) -> None:
    """Each chunk is, to the character, the text of the lines that it names, or a part of them."""
    text = _read_text(world, path)
    lines = _LINE_END.split(text)
    for row in world.product.rows("chunks"):
        if row["path"] != path:
            continue
        quoted = text[row["char_start"] : row["char_end"]]
        demand(
            row["text"] == quoted, f"{path}: the text of lines {row['line_start']}-{row['line_end']} differs"
        )
        named = "\n".join(lines[row["line_start"] - 1 : row["line_end"]])
        demand(
            as_lines(quoted).strip("\n") in named,
            f"{path}: lines {row['line_start']}-{row['line_end']} differ",
        )


@CHECKS.add("unique_ids")
def check_unique_ids(world: World) -> None:
    """No id names two chunks, and no chunk has two vectors."""
    for table in ("chunks", "chunk_vectors"):
        ids = Counter(row["chunk_id"] for row in world.product.rows(table))
        twice = [name for name, count in ids.items() if count > 1]
        demand(not twice, f"{table}: {len(twice)} ids occur more than once")


@CHECKS.add("chunk_with")
def check_chunk_with(
    world: World,
    *,
    path: str,
    contains: str,
    start: int,
    heading_path: list[str] | None = None,
    not_heading_path: list[str] | None = None,
) -> None:
    """The chunk that holds a text begins at a line, in this section or not in that one."""
    for chunk in list_chunks(world, path):
        if contains in chunk.text + "\n":
            found = f"{path}: {contains!r} is in {chunk.heading_path} from line {chunk.start}"
            demand(chunk.start == start, f"{found}, not from {start}")
            demand(heading_path is None or chunk.heading_path == heading_path, found)
            demand(not_heading_path is None or chunk.heading_path != not_heading_path, found)
            return
    demand(False, f"{path}: {contains!r} is in no chunk")


@CHECKS.add("no_text")
def check_no_text(world: World, *, chars: Sequence[str]) -> None:
    """These characters are in no stored text."""
    stored: list[Any] = [row["text"] for table in ("pages", "chunks") for row in world.product.rows(table)]
    for character in chars:
        demand(not any(character in text for text in stored), f"{character!r} is in a stored text")


def _read_text(world: World, path: str) -> str:
    raw = (world.root / path).read_bytes()
    return raw.decode("utf-8-sig")


def _read_lines(world: World, path: str) -> list[str]:
    lines = _LINE_END.split(_read_text(world, path))
    return lines[:-1] if lines[-1] == "" else lines


def _blank_lines(world: World, path: str) -> set[int]:
    return {number for number, line in enumerate(_read_lines(world, path), start=1) if not line.strip()}
