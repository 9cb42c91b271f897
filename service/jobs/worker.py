"""Doing a job: a child process makes the run, and the service listens to it."""

import asyncio
import logging
import signal
from collections.abc import Sequence

from indexer.history import take_back_run
from retrieval.store import Head, StoreError
from retrieval.store.head import FIRST
from service.http.problems import describe_error
from service.jobs.entry import JobEntry
from service.jobs.job import JobError, JobProgress
from service.jobs.messages import Done, Task
from service.jobs.process import RunProcess
from service.observability.request_id import current_request_id
from service.wiring import Application, Wiki

RUN_CRASHED = "run-crashed"

_log = logging.getLogger(__name__)


class Worker:
    """Does the jobs of an application, one at a time: two runs at once would leave queries no core."""

    def __init__(self, application: Application, command: Sequence[str]) -> None:
        self._application = application
        self._command = command
        self._turn = asyncio.Lock()

    async def work(self, entry: JobEntry) -> None:
        """Does a job, from the wait for its turn to its end."""
        async with self._turn:
            if entry.job.is_over:
                return
            try:
                outcome = await self._run(entry)
            except Exception as error:  # no job may stay unfinished: nobody could start another one
                _log.exception("job %s failed", entry.job.id)
                problem = describe_error(error)
                outcome = JobError(code=problem.code, message=problem.detail)
            self._finish(entry, outcome)

    def stop(self, entry: JobEntry) -> None:
        """Lets a job end as cancelled: at once if it waits, and if it runs as soon as its process is gone."""
        entry.is_cancelled = True
        if entry.process is not None:
            entry.process.kill()
        elif entry.job.state == "queued":
            self._finish(entry, None)

    async def _run(self, entry: JobEntry) -> Done | JobError | None:
        """Returns what the child said last, None for a job that was cancelled."""
        job, wiki = entry.job, self._application.wiki(entry.job.wiki)
        entry.change(state="running", started=self._application.clock())
        before = await _read_head(wiki)
        task = Task(
            settings=self._application.settings,
            wiki=job.wiki,
            mode=job.mode,
            paths=job.paths,
            request_id=current_request_id(),
        )
        entry.process = process = await RunProcess.start(self._command, task)
        if entry.is_cancelled:
            process.kill()
        try:
            last = await _listen(entry, process)
        except BaseException:
            process.kill()
            raise
        finally:
            code = await process.close()
        if last is not None:
            return last
        if not entry.is_cancelled:
            return _explain_crash(code)
        if job.mode != "dry-run":
            await self._take_back(wiki, before, process.pid)
        return None

    async def _take_back(self, wiki: Wiki, before: Head, pid: int) -> None:
        retention = self._application.settings.index.retention
        try:
            await take_back_run(
                wiki.settings.index_uri,
                before,
                pid=pid,
                retention=retention,
                clock=self._application.clock,
            )
        except StoreError as error:
            _log.warning("the index stays as the cancelled run left it: %s", error)

    def _finish(self, entry: JobEntry, outcome: Done | JobError | None) -> None:
        now = self._application.clock()
        match outcome:
            case Done(report=report):
                entry.change(state="done", finished=now, report=report)
            case JobError():
                entry.change(state="failed", finished=now, error=outcome)
            case None:
                entry.change(state="cancelled", finished=now)


async def _read_head(wiki: Wiki) -> Head:
    """Returns the head of the index as it is before a run, that of an empty one where there is none."""
    try:
        return await (await wiki.reader.store()).head()
    except StoreError:
        return FIRST


async def _listen(entry: JobEntry, process: RunProcess) -> Done | JobError | None:
    last: Done | JobError | None = None
    async for message in process.messages():
        if isinstance(message, JobProgress):
            entry.change(progress=message)
        else:
            last = message
    return last


def _explain_crash(code: int) -> JobError:
    how = f"ended with code {code}"
    if code < 0:
        how = f"was ended by {signal.Signals(-code).name}"
    message = f"The process of the run {how}; the index is as it was last published. Run again."
    return JobError(code=RUN_CRASHED, message=message)
