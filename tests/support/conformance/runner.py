"""Running a case."""

import os
import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path

from conformance import checks, steps  # noqa: F401  (their functions are registered by being imported)
from conformance.case import Case, CaseFailure, UnknownInstruction, variants
from conformance.checks.requests import try_request_variants
from conformance.instructions import CHECKS, STEPS
from conformance.processes import finish_child, start_child
from conformance.world import World

NOBODY = 65_534

_PERMISSION_STEPS = frozenset({"chmod", "make_index_readonly"})


def run_case(case: Case, folder: Path) -> None:
    """Runs a case in an empty folder.

    Raises:
        CaseFailure: The product does not do what the case asks.
        UnknownInstruction: The case asks for something that cannot be run.
    """
    for number, variant in enumerate(variants(case)):
        # Permissions say nothing to root, under which tests run in many containers.
        if os.geteuid() == 0 and any(step["do"] in _PERMISSION_STEPS for step in variant.steps):
            _run_unprivileged(variant)
        else:
            run_here(variant, folder / str(number))


def run_here(case: Case, folder: Path) -> None:
    """Runs a case in this process."""
    world = World(case, folder)
    try:
        if case.steps:
            for step in case.steps:
                STEPS.run(world, step)
        else:
            world.index()
        for check in case.checks:
            CHECKS.run(world, check)
        try_request_variants(world)
    finally:
        world.close()


def _run_unprivileged(case: Case) -> None:
    """Runs the whole case, service and all, in a process that gives its rights away before it begins.

    So the errors are the system's own, in every place where a file is opened. (An error put into the reader
    of files would show only that the reader handles it.) The folder is not pytest's, which no other user
    may enter.
    """
    folder = Path(tempfile.mkdtemp(prefix="wikitrail-case-"))
    try:
        os.chown(folder, NOBODY, NOBODY)
        task = {"action": "case", "case": asdict(case), "folder": str(folder / "case"), "uid": NOBODY}
        _, outcome = finish_child(start_child(task))
        if outcome["unknown"] is not None:
            raise UnknownInstruction(outcome["unknown"])
        if outcome["failure"] is not None:
            raise CaseFailure(outcome["failure"])
    finally:
        shutil.rmtree(folder)
