"""The jobs of a service: at most one a wiki, and those of all wikis done one after the other."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence

from service.errors import JobMissing, JobRunning
from service.jobs.entry import JobEntry
from service.jobs.job import Job, JobMode
from service.jobs.process import CHILD
from service.jobs.worker import Worker
from service.wiring import Application

MAX_OVER = 100
"""Jobs that are over and can still be asked for; older ones are forgotten."""


class JobQueue:
    """Takes the index jobs of an application, which are done by child processes that `command` starts.

    Jobs live as long as the service: what they did is in the index.
    """

    def __init__(self, application: Application, *, command: Sequence[str] = CHILD) -> None:
        self._application = application
        self._worker = Worker(application, command)
        self._entries: dict[str, JobEntry] = {}
        self._work: dict[str, asyncio.Task[None]] = {}

    def submit(self, wiki: str, mode: JobMode, paths: Sequence[str]) -> Job:
        """Returns a new job, or the one of this wiki that is not over yet.

        Nothing is waited for between the look and the entry, so of two requests at once one begins.
        """
        active = self._active(wiki)
        if active is not None:
            return active.job
        self._forget_oldest()
        job = Job(
            id=uuid.uuid4().hex,
            wiki=wiki,
            mode=mode,
            paths=tuple(paths),
            state="queued",
            created=self._application.clock(),
        )
        entry = self._entries[job.id] = JobEntry(job)
        self._work[job.id] = asyncio.create_task(self._worker.work(entry))
        return job

    def jobs(self) -> tuple[Job, ...]:
        """Returns all jobs, the newest first."""
        return tuple(entry.job for entry in reversed(self._entries.values()))

    def job(self, job_id: str) -> Job:
        """Returns a job.

        Raises:
            JobMissing: There is none of this id, or it is forgotten.
        """
        return self._entry(job_id).job

    def follow(self, job_id: str) -> AsyncIterator[Job]:
        """Returns the states of a job from now until it is over.

        Raises:
            JobMissing: There is none of this id, or it is forgotten.
        """
        return self._entry(job_id).follow()

    def require_idle(self, wiki: str) -> None:
        """Raises JobRunning where a job of the wiki is not over yet."""
        if self._active(wiki) is not None:
            raise JobRunning(f"wiki {wiki!r} is being indexed; wait for the job to end, or cancel it")

    async def cancel(self, job_id: str) -> Job:
        """Ends a job and returns it once it is over; one that is over stays as it is.

        Raises:
            JobMissing: There is none of this id, or it is forgotten.
        """
        entry = self._entry(job_id)
        await self._end([entry])
        return entry.job

    async def close(self) -> None:
        """Ends every job."""
        await self._end(list(self._entries.values()))

    async def _end(self, entries: Sequence[JobEntry]) -> None:
        for entry in entries:
            if not entry.job.is_over:
                self._worker.stop(entry)
        if ending := [self._work[entry.job.id] for entry in entries if not entry.job.is_over]:
            await asyncio.wait(ending)

    def _active(self, wiki: str) -> JobEntry | None:
        found = (entry for entry in self._entries.values() if entry.job.wiki == wiki)
        return next((entry for entry in found if not entry.job.is_over), None)

    def _entry(self, job_id: str) -> JobEntry:
        if job_id not in self._entries:
            raise JobMissing(f"there is no job {job_id!r}; jobs are forgotten when the service ends")
        return self._entries[job_id]

    def _forget_oldest(self) -> None:
        over = [job_id for job_id, entry in self._entries.items() if entry.job.is_over]
        for job_id in over[: max(0, len(over) + 1 - MAX_OVER)]:
            del self._entries[job_id], self._work[job_id]
