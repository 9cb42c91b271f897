"""A conformance case as it stands in the file, and the two ways in which one can go wrong."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

Instruction = Mapping[str, Any]

KILL_STEP = "index_full_and_kill9"


class CaseFailure(AssertionError):
    """The product does not do what the case asks."""


class UnknownInstruction(Exception):
    """The case asks for something that this suite cannot run; it is never passed over in silence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One case. Names and meaning of the fields are those of the file."""

    id: str
    title: str
    source: str
    kind: str
    severity: str
    report: str
    expected: str
    assertion: str
    verified: str = ""
    policy: str = ""
    input_files: Mapping[str, Any] = field(default_factory=dict)
    request: Mapping[str, Any] = field(default_factory=dict)
    steps: Sequence[Instruction] = ()
    checks: Sequence[Instruction] = ()


def load_cases(file: Path) -> list[Case]:
    """Reads a file with one case a line; a field that `Case` does not have is refused."""
    with file.open(encoding="utf-8") as lines:
        return [Case(**json.loads(line)) for line in lines if line.strip()]


def variants(case: Case) -> list[Case]:
    """Returns the case once for each of its kill points, since what follows must hold after every one."""
    position = next((at for at, step in enumerate(case.steps) if step["do"] == KILL_STEP), None)
    if position is None:
        return [case]
    step = case.steps[position]
    return [
        replace(
            case,
            steps=(*case.steps[:position], {**step, "points": [point]}, *case.steps[position + 1 :]),
        )
        for point in step["points"]
    ]


def demand(truth: object, message: str) -> None:
    """Fails the case with a message unless `truth` holds."""
    if not truth:
        raise CaseFailure(message)
