"""Searching without a pause while the index changes."""

import threading
import time
from collections.abc import Sequence
from itertools import count

from conformance.answers import Answer
from conformance.instructions import STEPS
from conformance.world import World

_EDIT = "edit "


@STEPS.add("stress")
def stress(world: World, *, seconds: float, readers: int, query: str, writer: Sequence[str]) -> None:
    """Searches in several threads while this one takes the steps of the writer, again and again."""
    end = time.monotonic() + seconds
    answers: list[Answer] = []
    failures: list[BaseException] = []

    def read() -> None:
        try:
            while time.monotonic() < end:
                answers.append(world.service.search({"query": query}))
        except BaseException as failure:
            failures.append(failure)

    _ = world.service  # started before the threads, that each of them finds the same one
    threads = [threading.Thread(target=read) for _ in range(readers)]
    for thread in threads:
        thread.start()
    for number in count(1):
        if time.monotonic() >= end:
            break
        for step in writer:
            _take(world, step, number)
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    world.outcomes = answers


def _take(world: World, step: str, number: int) -> None:
    if step.startswith(_EDIT):
        STEPS.run(world, {"do": "write", "path": step.removeprefix(_EDIT), "content": f"# E\n\n{number}\n"})
    else:
        STEPS.run(world, {"do": step})
