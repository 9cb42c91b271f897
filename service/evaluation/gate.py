"""Floors that the measures of an evaluation must not fall below.

[full]
"ndcg@10" = 0.9
[lexical]
"recall@5" = 0.85
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.errors import InvalidGate
from service.evaluation.measures import MEASURES
from service.evaluation.report import Means
from service.evaluation.runs import RUNS

Floors = Mapping[str, Mapping[str, float]]
"""By run and measure, the least mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A measure below its floor; `value` is None where it was not measured."""

    run: str
    measure: str
    floor: float
    value: float | None


def read_floors(path: Path) -> Floors:
    """Returns the floors of a file.

    Raises:
        InvalidGate: The file cannot be read, or names no floor, or something that is no run or measure.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidGate(f"cannot read the floors in {path}: {error}") from error
    floors = {run: _read_run(path, run, table) for run, table in tables.items()}
    if not any(floors.values()):
        raise InvalidGate(f"{path} names no floor")
    return floors


def find_misses(floors: Floors, means: Means) -> tuple[Miss, ...]:
    """Returns the measures that are below their floors or were not taken."""
    found = (
        Miss(run=run, measure=measure, floor=floor, value=means.get(run, {}).get(measure))
        for run, table in floors.items()
        for measure, floor in table.items()
    )
    return tuple(miss for miss in found if miss.value is None or miss.value < miss.floor)


def _read_run(path: Path, run: str, table: Any) -> Mapping[str, float]:
    if run not in RUNS:
        raise InvalidGate(f"{path}: there is no run {run!r}; those are {', '.join(RUNS)}")
    if not isinstance(table, dict):
        raise InvalidGate(f"{path}: {run!r} has to be a table of floors")
    for measure, floor in table.items():
        if measure not in MEASURES:
            raise InvalidGate(f"{path}: there is no measure {measure!r}; those are {', '.join(MEASURES)}")
        if isinstance(floor, bool) or not isinstance(floor, int | float) or not 0 <= floor <= 1:
            raise InvalidGate(f"{path}: the floor of {measure!r} in {run!r} has to be from 0 to 1")
    return table
