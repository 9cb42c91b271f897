"""How the service and its wikis are."""

from fastapi import APIRouter

from retrieval.store import Snapshot
from service.http.access import Parts
from service.http.documentation import PROBE, STATUS, errors
from service.status import read_status
from service.wire.status import HealthAnswer, StatusAnswer

router = APIRouter(tags=["status"])
probes = APIRouter(tags=["status"])


@router.get("/status", responses=STATUS)
async def get_status(application: Parts) -> StatusAnswer:
    """Tells for each wiki what its index holds, what is wrong with it, and how well it can answer now."""
    return await read_status(application)


@probes.get("/healthz", responses=PROBE)
async def get_health() -> HealthAnswer:
    """Tells that the process runs."""
    return HealthAnswer(status="ok")


@probes.get("/readyz", responses=PROBE | errors(503))
async def get_readiness(application: Parts) -> HealthAnswer:
    """Tells that every wiki of this service can be searched."""
    for wiki in application.wikis.values():
        await wiki.reader.read(_pin)
    return HealthAnswer(status="ok")


async def _pin(_: Snapshot) -> None:
    """Reads nothing: to have a snapshot is to be able to."""
