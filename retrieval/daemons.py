"""Threads for calls that may hang: few, and the end of the process waits but a moment for them."""

import asyncio
import atexit
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from typing import TypeVar
from weakref import WeakSet

_Result = TypeVar("_Result")

# A thread that comes back from native code when the interpreter is gone would abort the process.
_SECONDS_AT_EXIT = 3.0
_started: WeakSet[threading.Thread] = WeakSet()


class DaemonThreads:
    """Runs calls in the order they come, on at most so many threads; one ends when nothing is left to do.

    A call has the context variables of its caller, so that the log tells what it was for.

    The standard library's pool is of no use here: the process waits for its threads at exit, hanging or not.
    """

    def __init__(self, name: str, *, most: int) -> None:
        self._name = name
        self._most = most
        self._lock = threading.Lock()
        self._waiting: deque[Callable[[], None]] = deque()
        self._running = 0

    @property
    def are_busy(self) -> bool:
        """Says whether a call would have to wait for another to end."""
        return self._running >= self._most

    def submit(self, call: Callable[[], None]) -> None:
        """Has `call` run; it must not raise.

        Raises:
            RuntimeError: The system gives no further thread; nothing will run.
        """
        with self._lock:
            if self._running < self._most:
                thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                thread.start()
                _started.add(thread)
                self._running += 1
            self._waiting.append(partial(copy_context().run, call))

    async def call(self, work: Callable[[], _Result], *, seconds: float) -> _Result:
        """Returns what `work` returns, or raises what it raises.

        Raises:
            TimeoutError: It took too long; the thread goes on alone.
        """
        future: Future[_Result] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except BaseException as error:  # whoever waits gets it; the thread has other calls to run
                future.set_exception(error)

        self.submit(run)
        return await asyncio.wait_for(asyncio.wrap_future(future), seconds)

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    return
                call = self._waiting.popleft()
            call()


@atexit.register
def _wait_at_exit() -> None:
    end = time.monotonic() + _SECONDS_AT_EXIT
    for thread in list(_started):
        thread.join(max(0.0, end - time.monotonic()))
