"""The ASGI application."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version

from fastapi import APIRouter, Depends, FastAPI
from fastapi.middleware.cors import CORSMiddleware

from retrieval.embedding.passage_scorer import ScorerError
from retrieval.graph import load_libraries
from service.http import admin, evidence, metrics, pages, status, verify
from service.http.access import authorize, authorize_admin
from service.http.admission import Admission
from service.http.body import SizeLimit
from service.http.documentation import document_problems
from service.http.headers import AnswerHeaders
from service.http.hosts import SiteCheck
from service.http.observer import observe
from service.http.problems import add_handlers
from service.jobs.process import CHILD
from service.jobs.queue import JobQueue
from service.observability.metrics import Metrics
from service.observability.request_id import HEADER
from service.sections import ServerSettings
from service.wiring import Application


def create_app(application: Application, *, run_command: Sequence[str] = CHILD) -> FastAPI:
    """Returns the HTTP service over the wikis of `application`, which it closes when it shuts down.

    Index runs are made by processes that `run_command` starts; none of them outlives the service.

    Raises:
        EmbedderError, ScorerError: A model of the settings is not there.
    """
    # Made now: reading the tokenizer's file would hold up the event loop.
    _ = application.wikis
    jobs = JobQueue(application, command=run_command)

    @asynccontextmanager
    async def live(_: FastAPI) -> AsyncIterator[None]:
        # Queries are answered meanwhile, and say that the model is loading.
        warming = asyncio.create_task(_warm(application))
        yield
        warming.cancel()
        await jobs.close()
        application.close()

    app = FastAPI(
        title="wikitrail",
        summary="Evidence packs over folders of Markdown",
        version=version("wikitrail"),
        docs_url=None,  # the pages it shows load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=live,
    )
    app.state.application = application
    app.state.jobs = jobs
    app.state.metrics = Metrics(application.wikis)
    _add_bounds(app, application.settings.server)
    add_handlers(app)
    _include_routes(app)
    document_problems(app)
    observe(app, app.state.metrics)
    return app


def _add_bounds(app: FastAPI, server: ServerSettings) -> None:
    """Adds what stands before the routes, the innermost first."""
    app.add_middleware(
        Admission,
        running=server.max_running,
        waiting=server.max_waiting,
        seconds=server.max_wait,
        per_client=server.max_per_client,
    )
    app.add_middleware(SizeLimit, most=server.max_body_bytes)
    if server.allowed_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=server.allowed_origins,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization"],
            expose_headers=["Location", "Retry-After", HEADER],
        )
    app.add_middleware(SiteCheck, hosts=server.allowed_hosts, origins=server.allowed_origins)
    app.add_middleware(AnswerHeaders)


def _include_routes(app: FastAPI) -> None:
    guarded = APIRouter(prefix="/v1", dependencies=[Depends(authorize)])
    for room in (evidence, verify, pages, status):
        guarded.include_router(room.router)
    app.include_router(guarded)
    app.include_router(admin.router, prefix="/v1/admin", dependencies=[Depends(authorize_admin)])
    app.include_router(status.probes)
    app.include_router(metrics.router)


async def _warm(application: Application) -> None:
    """Loads models and libraries, so that the first queries need not wait for them."""
    await asyncio.to_thread(load_libraries)
    if application.query_embedder is not None:
        await application.query_embedder.warm()
    if application.scorer is not None:
        # A query that needs it says what is wrong with it.
        with suppress(ScorerError):
            await asyncio.to_thread(application.scorer.score, "", [""])
