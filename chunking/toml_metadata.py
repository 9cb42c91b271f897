"""TOML metadata."""

import math
import re
import tomllib
from datetime import date, datetime, time

from chunking.lines import LINE_END
from chunking.metadata import Field, Problem
from chunking.model import Scalar

_LINE = re.compile(r"[ \t]*(?:#.*|\[.*|[\]}],?.*|[\w.\"'-]+[ \t]*=.*)?")
_ERROR_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)")
_INT64 = 2**63
_STRING = re.compile(r"\"[^\"\r\n]*\"|'[^'\r\n]*'")
_MAX_DOTS = 100


def looks_like_toml(lines: list[str]) -> bool:
    """Tells whether every line that is not indented could stand in TOML."""
    return all(line[:1] in (" ", "\t") or _LINE.fullmatch(line) for line in lines)


def read_toml(block: str) -> dict[str, Field] | Problem:
    """Reads the top-level fields that hold scalars or flat lists of scalars."""
    # The parser takes the square of the length of a key "a.b.c".
    if any(_STRING.sub("", line).count(".") > _MAX_DOTS for line in LINE_END.split(block)):
        return Problem(line=1, detail="is nested too deeply")
    try:
        # TOML knows no lone CR as a line end.
        table = tomllib.loads(LINE_END.sub("\n", block))
    except tomllib.TOMLDecodeError as error:
        found = _ERROR_LINE.search(str(error))
        line = int(found[1]) if found and found[1] else 1
        return Problem(line=line, detail=_ERROR_LINE.sub("", str(error)))
    except ValueError:  # of Python's limit on the digits of a number
        return Problem(line=1, detail="holds a number that is too long")
    except RecursionError:
        return Problem(line=1, detail="is nested too deeply")
    fields = {key: _read_field(value) for key, value in table.items()}
    return {key: field for key, field in fields.items() if field is not None}


def _read_field(value: object) -> Field | None:
    if isinstance(value, list):
        scalars = tuple(scalar for scalar in map(_read_scalar, value) if scalar is not None)
        return Field(value=scalars, texts=tuple(map(str, scalars)))
    scalar = _read_scalar(value)
    return None if scalar is None else Field(value=scalar, texts=(str(scalar),))


def _read_scalar(value: object) -> Scalar | None:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if -_INT64 <= value < _INT64 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return None
