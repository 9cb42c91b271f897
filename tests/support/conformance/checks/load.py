"""How the service behaves while something else goes on."""

import time

from conformance.case import UnknownInstruction, demand
from conformance.instructions import CHECKS
from conformance.service import HEALTH
from conformance.world import World

_EVERY = 0.2
_LEAST_SAMPLES = 5


@CHECKS.add("latency_during_run")
def check_latency_during_run(world: World, *, health_max_s: float, search_max_s: float) -> None:
    """As long as the run in the background lasts, the service answers quickly, and to the point."""
    run = world.background
    if run is None:
        raise UnknownInstruction("no run goes on in the background")
    samples = 0
    while not run.done():
        health = world.service.request("GET", HEALTH)
        demand(health.status == 200 and health.seconds < health_max_s, f"health took {health.seconds:.2f} s")
        answer = world.service.search({"query": "zorb122"})
        demand(
            answer.status == 200 and answer.seconds < search_max_s, f"a search took {answer.seconds:.2f} s"
        )
        demand(any(result.path == "a.md" for result in answer.results), "the search lost its page")
        samples += 1
        time.sleep(_EVERY)
    run.result()
    demand(samples >= _LEAST_SAMPLES, f"the run ended after {samples} samples")


@CHECKS.add("one_started")
def check_one_started(world: World) -> None:
    """Of the requests sent at once one started a run; the others were told of it."""
    jobs = {job for status, job in world.outcomes if status != 409}
    demand(len(jobs) == 1, f"{len(jobs)} runs were started")


@CHECKS.add("stress_result")
def check_stress_result(world: World, *, max_5xx: int, max_empty: int) -> None:
    """So many searches failed or found nothing while the index changed under them."""
    broken = [answer for answer in world.outcomes if answer.status >= 500]
    empty = [answer for answer in world.outcomes if answer.status == 200 and not answer.results]
    shown = f"of {len(world.outcomes)} searches {len(broken)} failed and {len(empty)} found nothing"
    demand(world.outcomes and len(broken) <= max_5xx and len(empty) <= max_empty, shown)
