"""A job that changes, and those who follow it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from service.jobs.job import Job
from service.jobs.process import RunProcess


class JobEntry:
    """The present state of a job, the process that runs it, and whether somebody wants it to end."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.process: RunProcess | None = None
        self.is_cancelled = False
        self._changed = asyncio.Event()

    def change(self, **values: Any) -> None:
        """Gives the job other values; all who follow it hear of it."""
        self.job = replace(self.job, **values)
        self._changed.set()
        self._changed = asyncio.Event()

    async def follow(self) -> AsyncIterator[Job]:
        """Yields the job now and after changes until it is over; whoever is slow misses what is past."""
        while True:
            job, changed = self.job, self._changed
            yield job
            if job.is_over:
                return
            await changed.wait()
