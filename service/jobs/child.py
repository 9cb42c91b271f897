"""The process of one run: `python -P -m service.jobs.child`, with the task on standard input.

It takes lower priority than the queries of the service, writes its messages to standard output and its log to
standard error, and ends at once when its standard input does.
"""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from chunking import WikitrailError
from indexer.bounds import parse_bounds
from indexer.progress import Phase
from indexer.report import to_dict
from service.http.problems import describe_error
from service.jobs.job import JobError, JobProgress
from service.jobs.messages import Done, Message, Task, read_task, write_message
from service.observability.log import set_up_log
from service.observability.request_id import begin_request
from service.settings import Settings
from service.wiring import Application

MAX_LISTED = 100
"""Issues and changed pages that the report of a job lists; the counts are of all."""

_NICENESS = 10
_log = logging.getLogger(__name__)


def main(make_application: Callable[[Settings], Application] = Application) -> None:
    """Carries out the task of standard input, with the parts that `make_application` makes."""
    teller = Teller(_take_stdout())
    task = read_task(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    os.nice(_NICENESS)
    set_up_log(task.settings)
    if task.request_id is not None:
        begin_request(task.request_id)
    teller.tell(_carry_out(task, make_application, teller))


class Teller:
    """Writes messages; as a listener of a run it tells of the progress."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._phase: Phase = "read"
        self._done = 0
        self._total = 0

    def tell(self, message: Message) -> None:
        """Writes a message at once."""
        self._stream.write(write_message(message))
        self._stream.flush()

    def start(self, phase: Phase, total: int) -> None:
        """Tells that a phase begins."""
        self._phase, self._done, self._total = phase, 0, total
        self.advance(0)

    def advance(self, count: int) -> None:
        """Tells of a step."""
        self._done += count
        self.tell(JobProgress(phase=self._phase, done=self._done, total=self._total))

    def finish(self) -> None:
        """Says nothing: the next phase, or the end of the run, will."""


def _carry_out(task: Task, make_application: Callable[[Settings], Application], teller: Teller) -> Message:
    try:
        application = make_application(task.settings)
        try:
            return Done(report=asyncio.run(_run(task, application, teller)))
        finally:
            application.close()
    except Exception as error:  # whatever it is, the service is told, and the log has the cause
        _log.error("the run failed: %s", error, exc_info=not isinstance(error, WikitrailError))
        problem = describe_error(error)
        return JobError(code=problem.code, message=problem.detail)


async def _run(task: Task, application: Application, teller: Teller) -> dict[str, Any]:
    bounds = parse_bounds(task.paths)
    indexer = application.indexer(task.wiki, progress=teller)
    if task.mode == "dry-run":
        preview = to_dict(await indexer.preview(bounds=bounds))
        return {**_shorten(preview), "changes": _shorten(preview["changes"])}
    return _shorten(to_dict(await indexer.run(task.mode, bounds=bounds)))


def _shorten(report: dict[str, Any]) -> dict[str, Any]:
    return {name: value[:MAX_LISTED] if isinstance(value, tuple) else value for name, value in report.items()}


def _take_stdout() -> BinaryIO:
    """Returns standard output for the messages alone; whatever else prints goes to the log."""
    stream = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return stream


def _end_with_stdin() -> None:
    # Not through the buffer of sys.stdin, whose lock would be held when the interpreter ends.
    while os.read(sys.stdin.fileno(), 1):
        pass
    # Nothing needs to be tidied up: a run can be killed at any moment.
    os._exit(1)


if __name__ == "__main__":
    main()
