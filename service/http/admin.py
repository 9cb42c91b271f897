"""Index jobs and generations: what changes the index, and so takes the admin token."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from indexer.history import activate_generation, list_generations
from indexer.root import check_root
from retrieval.store import IndexReadOnly
from service.http.access import Jobs, Parts
from service.http.documentation import ADMIN, errors
from service.jobs.job import Job, JobMode
from service.places import is_read_only
from service.wire.admin import (
    GenerationAnswer,
    GenerationsAnswer,
    JobAnswer,
    JobsAnswer,
    ReindexBody,
    WikiParameters,
)
from service.wiring import Application

router = APIRouter(tags=["admin"])

_INCREMENTAL = ReindexBody()
_JOB = ADMIN | errors(404, 422)
_GENERATION = ADMIN | errors(404, 422)

JobId = Annotated[str, Path(max_length=100)]


@router.post("/reindex", status_code=202, responses=ADMIN | errors(400, 404, 409, 415, 422))
async def reindex(
    application: Parts, jobs: Jobs, response: Response, body: ReindexBody = _INCREMENTAL
) -> JobAnswer:
    """Starts an index run in a process of its own and answers with its job, whose address is `Location`.

    While the wiki has a job that is not over, that one is the answer, whatever it was asked to do.
    """
    name = application.settings.resolve(body.wiki)
    await asyncio.to_thread(_check_places, application, name, body.mode)
    job = jobs.submit(name, body.mode, body.paths)
    response.headers["Location"] = f"/v1/admin/jobs/{job.id}"
    return JobAnswer.of(job)


def _check_places(application: Application, name: str, mode: JobMode) -> None:
    """Refuses at once what a run would fail with anyway.

    Raises:
        FolderUnknown: Only the index of the wiki is known.
        RootUnavailable: The folder of the wiki cannot be listed.
        IndexReadOnly: The run would have to write where nothing can be written.
    """
    check_root(application.settings.folder(name))
    if mode != "dry-run" and is_read_only(application.settings.wikis[name].index_uri):
        raise IndexReadOnly("the index cannot be written: its place is read-only for this user")


@router.get("/jobs", responses=ADMIN)
async def list_jobs(jobs: Jobs) -> JobsAnswer:
    """Lists the jobs since the service began."""
    return JobsAnswer(jobs=[JobAnswer.of(job) for job in jobs.jobs()])


@router.get("/jobs/{job_id}", responses=_JOB)
async def get_job(job_id: JobId, jobs: Jobs) -> JobAnswer:
    """Tells how a job is."""
    return JobAnswer.of(jobs.job(job_id))


def _find_states(job_id: JobId, jobs: Jobs) -> AsyncIterator[Job]:
    """Finds the job before the answer begins: afterwards it could not be a 404 any more."""
    return jobs.follow(job_id)


@router.get("/jobs/{job_id}/events", response_class=EventSourceResponse, responses=_JOB)
async def follow_job(
    states: Annotated[AsyncIterator[Job], Depends(_find_states)],
) -> AsyncIterable[ServerSentEvent]:
    """Sends the job as it is now and after each change, as server-sent events.

    The data of an event is the job. Events are named `progress`, and the last one `end`. A client that goes
    away leaves the job alone.
    """
    async for job in states:
        yield ServerSentEvent(event="end" if job.is_over else "progress", data=JobAnswer.of(job))


@router.delete("/jobs/{job_id}", responses=_JOB)
async def cancel_job(job_id: JobId, jobs: Jobs) -> JobAnswer:
    """Ends a job and answers once it is over; queries read the generation from before it again.

    A job that was over already stays as it is, and so does one that comes to its end at this moment.
    """
    return JobAnswer.of(await jobs.cancel(job_id))


@router.get("/generations", responses=_GENERATION)
async def get_generations(
    application: Parts, parameters: Annotated[WikiParameters, Query()]
) -> GenerationsAnswer:
    """Lists the states of the index that are kept: each can be read, and activated."""
    wiki, settings = application.wiki(parameters.wiki), application.settings
    kept = await list_generations(
        wiki.settings.index_uri, retention=settings.index.retention, clock=application.clock
    )
    answers = [GenerationAnswer.of(generation, active=generation is kept[0]) for generation in kept]
    return GenerationsAnswer(wiki=wiki.name, generations=answers)


@router.post("/generations/{number}/activate", responses=_GENERATION | errors(409))
async def activate(
    number: Annotated[int, Path(ge=1)],
    application: Parts,
    jobs: Jobs,
    parameters: Annotated[WikiParameters, Query()],
) -> GenerationAnswer:
    """Publishes a kept state of the index again, under a new number; queries read it from now on.

    The next run compares the wiki with it, and brings it up to date.
    """
    wiki, settings = application.wiki(parameters.wiki), application.settings
    jobs.require_idle(wiki.name)
    newest = await activate_generation(
        wiki.settings.index_uri, number, retention=settings.index.retention, clock=application.clock
    )
    return GenerationAnswer.of(newest, active=True)
