"""Doing the same thing many times."""

from collections.abc import Mapping, Sequence

from conformance.case import Instruction, UnknownInstruction, demand
from conformance.inputs import fill_number
from conformance.instructions import STEPS
from conformance.world import World

# Runs follow each other as they do in use. Without this, no generation of a loop would be old enough to go.
_MINUTES_BETWEEN = 5.0


@STEPS.add("loop")
def loop(
    world: World,
    *,
    times: int,
    write: Instruction,
    then: Sequence[str],
    check_each: Sequence[Mapping[str, str]] = (),
) -> None:
    """Writes a page, takes further steps and checks, for each number from 1 on."""
    for number in range(1, times + 1):
        STEPS.run(world, {"do": "write", **write, "content": fill_number(write["content"], number)})
        for step in then:
            STEPS.run(world, {"do": step})
        for expectation in check_each:
            _check_word(world, write["path"], expectation, number)
        world.minutes_ahead += _MINUTES_BETWEEN


def _check_word(world: World, path: str, expectation: Mapping[str, str], number: int) -> None:
    ((kind, template),) = expectation.items()
    if kind not in ("found", "gone"):
        raise UnknownInstruction(f"unknown expectation: {kind!r}")
    word = fill_number(template, number)
    results = world.service.search({"query": word}).results
    if kind == "found":
        demand(any(result.path == path for result in results), f"{word!r} is not found")
    else:
        demand(not results, f"{word!r} is still found")
