"""`GET /metrics`, in the text format of Prometheus."""

from collections.abc import Iterator

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.core import Metric

from service.http.access import Jobs, Parts, authorize
from service.http.documentation import errors
from service.observability.metrics import Metrics
from service.observability.readings import Readings, read_service

router = APIRouter(tags=["status"], dependencies=[Depends(authorize)])


class _Page:
    """What was counted, and what was read just now."""

    def __init__(self, metrics: Metrics, readings: Readings) -> None:
        self._metrics = metrics
        self._readings = readings

    def collect(self) -> Iterator[Metric]:
        yield from self._metrics.registry.collect()
        yield from self._readings.collect()


@router.get("/metrics", response_class=PlainTextResponse, responses=errors(401, 500))
async def get_metrics(request: Request, application: Parts, jobs: Jobs) -> Response:
    """Tells what is counted and measured, for Prometheus. It takes the token of reading, if there is one.

    A wiki whose index cannot be read has `wikitrail_wiki_up` 0 and no other figures of its index.
    """
    page = _Page(request.app.state.metrics, await read_service(application, jobs.jobs()))
    # The format of the library's choice by `Accept` would repeat what the client calls the version.
    return Response(generate_latest(page), headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})
