"""Tables and JSON lines, read so that what is wrong is told with the file and the line."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from service.errors import InvalidSet

_Row = TypeVar("_Row")


def read_table(path: Path, columns: Sequence[str], read: Callable[[Mapping[str, str]], None]) -> None:
    """Gives `read` the cells of each line by column, after a first line that names the columns.

    Raises:
        InvalidSet: The file cannot be read, or `read` raised a ValueError.
    """

    def read_line(line: str) -> None:
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise ValueError(f"{len(cells)} columns instead of {len(columns)}: {', '.join(columns)}")
        read(dict(zip(columns, cells, strict=True)))

    lines = _lines(path)
    if next(lines, (0, ""))[1].split("\t") != list(columns):
        raise InvalidSet(f"{path}:1: the first line has to be, with tabs between: {', '.join(columns)}")
    for number, line in lines:
        _at(path, number, read_line, line)


def read_objects(path: Path, read: Callable[[Mapping[str, Any]], _Row]) -> Mapping[str, _Row]:
    """Returns what `read` makes of each object of a file of JSON lines, by its `id`, or `_id`.

    Raises:
        InvalidSet: The file cannot be read, or `read` raised a ValueError.
    """
    rows: dict[str, _Row] = {}

    def read_line(line: str) -> None:
        fields = json.loads(line)
        if not isinstance(fields, dict):
            raise ValueError("this is no JSON object")
        name = read_text(fields, "_id" if "_id" in fields else "id")
        if name in rows:
            raise ValueError(f"id {name!r} is there twice")
        rows[name] = read({**fields, "id": name})

    for number, line in _lines(path):
        _at(path, number, read_line, line)
    return rows


def read_text(fields: Mapping[str, Any], key: str) -> str:
    """Returns a field that has to be a text, and not blank.

    Raises:
        ValueError: It is not.
    """
    value = fields.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"`{key}` has to be a text")
    return value


def read_whole(fields: Mapping[str, str], key: str) -> int:
    """Returns a field that has to be a whole number, not below 0.

    Raises:
        ValueError: It is none.
    """
    cell = fields[key]
    if not (cell.isascii() and cell.isdecimal()):
        raise ValueError(f"`{key}` has to be a whole number from 0, not {cell!r}")
    return int(cell)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Returns the lines that are not blank with their numbers from 1."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSet(f"cannot read {path}: {error}") from error
    # Not splitlines(): texts may hold line ends of Unicode that end no line of a file.
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def _at(path: Path, number: int, read: Callable[[str], None], line: str) -> None:
    """Calls `read`; what is wrong with the line is told with its place."""
    try:
        read(line)
    except ValueError as error:
        raise InvalidSet(f"{path}:{number}: {error}") from error
