"""Where a case leaves more than one way open."""

from collections.abc import Sequence

from conformance.case import CaseFailure, Instruction
from conformance.instructions import CHECKS
from conformance.world import World


@CHECKS.add("any_of")
def check_any_of(world: World, *, options: Sequence[Sequence[Instruction]]) -> None:
    """All checks of at least one option hold."""
    failures: list[str] = []
    for option in options:
        try:
            for instruction in option:
                CHECKS.run(world, instruction)
        except CaseFailure as failure:
            failures.append(str(failure))
        else:
            return
    raise CaseFailure("; or ".join(failures))
