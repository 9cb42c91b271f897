"""Writing the input files of a case.

Content is a text (UTF-8, line ends untouched), `{"b64"}` (raw bytes), `{"parts": [[text, times], ...]}`,
`{"seq": {head, row, from, to, tail}}` (a row for each number) or `{"symlink"}`. A name may begin with
`<outside>/` (the folder beside the root), be `@bytes:HEX`, or `@many` for a row of files.
"""

import base64
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from conformance.case import UnknownInstruction

_OUTSIDE = "<outside>"
_BYTES = "@bytes:"
_NUMBER = re.compile(r"\{i(?:([-+%])(\d+))?\}")
_ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "-": lambda left, right: left - right,
    "+": lambda left, right: left + right,
    "%": lambda left, right: left % right,
}


def write_inputs(files: Mapping[str, Any], *, root: Path, outside: Path) -> None:
    """Writes all files of a case below `root` and `outside`, which it makes."""
    root.mkdir(parents=True, exist_ok=True)
    outside.mkdir(parents=True, exist_ok=True)
    for name, value in files.items():
        if name == "@many":
            for number in range(value["from"], value["to"] + 1):
                name_now = fill_number(value["name"], number)
                _write(name_now, fill_number(value["content"], number), root, outside)
        else:
            _write(name, value, root, outside)


def fill_number(template: str, number: int) -> str:
    """Puts a number in the place of `{i}`, and what is reckoned from it in that of `{i-1}`, `{i%50}`."""

    def replace(match: re.Match[str]) -> str:
        sign, operand = match.groups()
        return str(number if sign is None else _ARITHMETIC[sign](number, int(operand)))

    return _NUMBER.sub(replace, template)


def _write(name: str, value: Any, root: Path, outside: Path) -> None:
    place = _place(name, root, outside)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if isinstance(value, Mapping) and "symlink" in value:
        os.symlink(value["symlink"].replace(_OUTSIDE, str(outside)), place)
        return
    with open(place, "wb") as file:
        file.write(_content(value))


def _place(name: str, root: Path, outside: Path) -> bytes:
    if name.startswith(_BYTES):
        return os.path.join(os.fsencode(root), bytes.fromhex(name.removeprefix(_BYTES)))
    if name.startswith(_OUTSIDE + "/"):
        return os.path.join(os.fsencode(outside), os.fsencode(name.removeprefix(_OUTSIDE + "/")))
    return os.path.join(os.fsencode(root), os.fsencode(name))


def _content(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    match value:
        case {"b64": text}:
            return base64.b64decode(text)
        case {"parts": parts}:
            return "".join(str(text) * int(times) for text, times in parts).encode()
        case {"seq": seq}:
            rows = (fill_number(seq["row"], number) for number in range(seq["from"], seq["to"] + 1))
            return f"{seq['head']}{''.join(rows)}{seq['tail']}".encode()
    raise UnknownInstruction(f"unknown form of content: {value!r}")
