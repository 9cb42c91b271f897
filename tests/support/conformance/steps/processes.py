"""Several processes, and processes that are killed."""

import math
import signal
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from conformance.answers import Answer
from conformance.case import CaseFailure, UnknownInstruction, demand
from conformance.instructions import STEPS
from conformance.processes import describe, finish_child, release_together, start_child
from conformance.service import JOBS, REINDEX, Service
from conformance.world import World

_BEFORE_SWITCH = "before_switch"
_BUSY = ("index-busy", "index-moved", "lease-lost")
_STARTED = (200, 202)
_REFUSED = 409
_EVERY = 0.05
_PATIENCE = 300.0


@STEPS.add("index_full_and_kill9")
def index_full_and_kill(world: World, *, points: Sequence[float | str]) -> None:
    """Rebuilds the index in another process that is killed at this point.

    A number is a part of all texts to embed. Vectors are kept by text, so that a rebuild has nothing to
    embed; they are removed before, to have something to be killed at.
    """
    (point,) = points
    fatal: dict[str, Any] = {"die_before_switch": True}
    if point != _BEFORE_SWITCH:
        texts = len(world.fresh(f"measure-{point}").embedder.embedded)
        fatal = {"die_at": max(1, math.ceil(float(point) * texts))}
    task = {"action": "index", "mode": "full", "forget_vectors": True, **fatal}
    code, _ = finish_child(start_child({**task, **describe(world.product)}))
    demand(code == -signal.SIGKILL, f"the run was not killed at {point}: it ended with {code}")


@STEPS.add("parallel_reindex_processes")
def reindex_in_processes(world: World, *, n: int) -> None:
    """Runs the indexer in so many processes at once; one that is refused is told that another one runs."""
    task = {"action": "index", "mode": "incremental", "together": True, **describe(world.product)}
    children = [start_child(task) for _ in range(n)]
    release_together(children)
    outcomes = [finish_child(child) for child in children]
    done = [outcome for _, outcome in outcomes if outcome and "report" in outcome]
    errors = [outcome["error"] for _, outcome in outcomes if outcome and "error" in outcome]
    demand(all(code == 0 for code, _ in outcomes), f"processes ended with {[code for code, _ in outcomes]}")
    demand(done, f"no run was done: {errors}")
    demand(set(errors) <= set(_BUSY), f"runs failed: {errors}")


@STEPS.add("parallel_reindex")
def reindex_over_http(world: World, *, n: int) -> None:
    """Sends so many requests for a run at once, and waits until every job is done."""
    service = world.service
    with ThreadPoolExecutor(n) as pool:
        answers: list[Answer] = list(pool.map(lambda _: service.administer("POST", REINDEX), range(n)))
    for answer in answers:
        if answer.status not in (*_STARTED, _REFUSED):
            raise CaseFailure(f"reindexing answers {answer.status}: {answer.text[:300]}")
    world.outcomes = [
        (answer.status, answer.json["id"] if answer.status in _STARTED else None) for answer in answers
    ]
    for job in {job for _, job in world.outcomes if job is not None}:
        _await_job(service, job)


def _await_job(service: Service, job: str) -> None:
    end = time.monotonic() + _PATIENCE
    while (state := service.administer("GET", f"{JOBS}/{job}").json)["finished"] is None:
        demand(time.monotonic() < end, f"the job goes on and on: {state}")
        time.sleep(_EVERY)
    demand(state["state"] == "done", f"the job is {state}")


@STEPS.add("start_second_process")
def start_second_process(world: World) -> None:
    """Starts a second process that serves the same index, and lets it open the index."""
    answer = world.second_process().service.search({"query": "warm"})
    demand(answer.status == 200, f"the second process answers {answer.status}: {answer.text[:300]}")


@STEPS.add("wait")
def wait(world: World, *, s: float) -> None:
    """Waits."""
    if s < 0:
        raise UnknownInstruction(f"cannot wait {s} seconds")
    time.sleep(s)
