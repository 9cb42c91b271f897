"""The queue over children that say little: whatever they do, a job ends, and others follow it."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from service.errors import JobMissing, JobRunning
from service.jobs import queue
from service.jobs.job import Job, JobError, JobProgress
from service.jobs.messages import Done, Message, write_message
from service.jobs.queue import JobQueue
from service.settings import Settings
from service.wiring import Application

pytestmark = pytest.mark.anyio

PROGRESS = JobProgress(phase="read", done=1, total=2)
DONE = Done(report={"status": "ok"})
MakeQueue = Callable[..., JobQueue]


@pytest.fixture
async def make_queue(tmp_path: Path) -> AsyncIterator[MakeQueue]:
    """Makes queues whose children say these messages and then run the given code."""
    wikis = {name: {"root": tmp_path / name} for name in ("one", "two")}
    application = Application(Settings(wikis=wikis, embedder="none"))

    async with AsyncExitStack() as stack:

        def make(*messages: Message, then: str = "", command: list[str] | None = None) -> JobQueue:
            said = b"".join(write_message(message) for message in messages)
            code = f"import sys, os; sys.stdout.buffer.write({said!r}); sys.stdout.flush(); {then}"
            jobs = JobQueue(application, command=command or [sys.executable, "-c", code])
            stack.push_async_callback(jobs.close)
            return jobs

        yield make
    application.close()


async def finish(jobs: JobQueue, job: Job) -> Job:
    async for state in jobs.follow(job.id):
        job = state
    return job


async def test_a_job_has_what_its_child_said_last(make_queue: MakeQueue) -> None:
    jobs = make_queue(PROGRESS, DONE)
    first = jobs.submit("one", "full", ["a.md"])
    assert (first.state, first.mode, first.paths, first.is_over) == ("queued", "full", ("a.md",), False)
    job = await finish(jobs, first)
    assert (job.state, job.report, job.error, job.progress) == ("done", {"status": "ok"}, None, PROGRESS)
    assert job == jobs.job(first.id)


async def test_an_error_of_the_child_is_that_of_the_job(make_queue: MakeQueue) -> None:
    error = JobError(code="root-empty", message="The wiki's folder is empty.")
    jobs = make_queue(error)
    job = await finish(jobs, jobs.submit("one", "incremental", []))
    assert (job.state, job.error, job.report) == ("failed", error, None)


@pytest.mark.parametrize(
    ("then", "words"),
    [
        ("os._exit(3)", "ended with code 3"),
        ("pass", "ended with code 0"),
        ("os.kill(os.getpid(), 11)", "SIGSEGV"),
        ('sys.stdout.write(\'{"kind": "done"\'); sys.stdout.flush(); os._exit(3)', "code 3"),
    ],
)
async def test_a_child_that_ends_without_a_word_crashed(make_queue: MakeQueue, then: str, words: str) -> None:
    jobs = make_queue(PROGRESS, then=then)
    job = await finish(jobs, jobs.submit("one", "incremental", []))
    assert job.error is not None
    assert (job.state, job.error.code) == ("failed", "run-crashed")
    assert words in job.error.message


@pytest.mark.parametrize(
    "command", [["/nowhere/at/all"], [sys.executable, "-c", "print('no JSON', flush=True)"]]
)
async def test_a_child_that_cannot_be_started_or_understood_is_an_internal_error(
    make_queue: MakeQueue, command: list[str]
) -> None:
    jobs = make_queue(command=command)
    job = await finish(jobs, jobs.submit("one", "incremental", []))
    assert job.error is not None
    assert (job.state, job.error.code) == ("failed", "internal-error")
    assert "nowhere" not in job.error.message


async def test_a_wiki_has_one_job_and_all_wikis_take_turns(make_queue: MakeQueue) -> None:
    jobs = make_queue(PROGRESS, then="sys.stdin.read()")
    one, two = jobs.submit("one", "incremental", []), jobs.submit("two", "incremental", [])
    assert jobs.submit("one", "full", ["x"]).id == one.id
    async for state in jobs.follow(one.id):
        if state.progress == PROGRESS:
            break
    assert (jobs.job(one.id).state, jobs.job(two.id).state) == ("running", "queued")
    for name in ("one", "two"):
        with pytest.raises(JobRunning, match=name):
            jobs.require_idle(name)
    cancelled = await jobs.cancel(two.id)
    assert (cancelled.state, cancelled.started) == ("cancelled", None)
    jobs.require_idle("two")
    assert (await jobs.cancel(one.id)).state == "cancelled"
    assert [job.id for job in jobs.jobs()] == [two.id, one.id]


async def test_closing_ends_all(make_queue: MakeQueue) -> None:
    jobs = make_queue(PROGRESS, then="sys.stdin.read()")
    for name in ("one", "two"):
        jobs.submit(name, "incremental", [])
    await jobs.close()
    assert [job.state for job in jobs.jobs()] == ["cancelled", "cancelled"]


async def test_old_jobs_are_forgotten(make_queue: MakeQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "MAX_OVER", 2)
    jobs = make_queue(DONE)
    ids = [(await finish(jobs, jobs.submit("one", "incremental", []))).id for _ in range(3)]
    assert [job.id for job in jobs.jobs()] == [ids[2], ids[1]]
    with pytest.raises(JobMissing):
        jobs.job(ids[0])
