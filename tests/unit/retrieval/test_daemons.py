"""Threads that may hang are few, and do what they are told in order."""

import subprocess
import sys
import threading
import time

import pytest

from retrieval.daemons import DaemonThreads

SECONDS = 5.0


def test_calls_run_in_order_on_one_thread() -> None:
    threads, seen, done = DaemonThreads("test", most=1), list[int](), threading.Event()
    for number in range(100):
        threads.submit(lambda number=number: seen.append(number))
    threads.submit(done.set)
    assert done.wait(SECONDS)
    assert seen == list(range(100))


def test_no_more_threads_than_allowed_and_the_rest_waits() -> None:
    threads, go, started = DaemonThreads("test", most=3), threading.Event(), threading.Semaphore(0)
    ended = threading.Semaphore(0)

    def hang() -> None:
        started.release()
        go.wait(SECONDS)
        ended.release()

    for _ in range(5):
        threads.submit(hang)
    assert [started.acquire(timeout=SECONDS) for _ in range(3)] == [True] * 3
    assert threads.are_busy
    assert not started.acquire(timeout=0.05)
    go.set()
    assert [ended.acquire(timeout=SECONDS) for _ in range(5)] == [True] * 5


def test_threads_end_when_nothing_is_left_and_start_again() -> None:
    threads = DaemonThreads("ending", most=2)
    for _ in range(2):
        done = threading.Event()
        threads.submit(done.set)
        assert done.wait(SECONDS)
        for thread in threading.enumerate():
            if thread.name == "ending":
                thread.join(SECONDS)
        assert not threads.are_busy


def test_a_thread_that_cannot_start_takes_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    threads, done = DaemonThreads("test", most=1), threading.Event()

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError):
            threads.submit(lambda: pytest.fail("this call was refused"))
    assert not threads.are_busy
    threads.submit(done.set)
    assert done.wait(SECONDS)


@pytest.mark.parametrize(("seconds", "ends"), [(1.0, "ended\n"), (600.0, "")])
def test_the_end_of_the_process_waits_a_moment_for_calls_and_not_for_those_that_hang(
    seconds: float, ends: str
) -> None:
    program = (
        "import time; from retrieval.daemons import DaemonThreads;"
        f"DaemonThreads('test', most=1).submit(lambda: (time.sleep({seconds}), print('ended', flush=True)))"
    )
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (ends, "")
    assert time.monotonic() - begun < 60
