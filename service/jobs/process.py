"""A child process that makes one run, as the service sees it."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

from service.jobs.messages import Message, Task, read_message, write_task
from service.settings import foreign_environment

CHILD = (sys.executable, "-P", "-m", "service.jobs.child")
"""The command of the child. With -P no module is taken from the folder the service was started in."""

_LONGEST_LINE = 1 << 24
_SECONDS_TO_END = 5


class RunProcess:
    """A running child."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, command: Sequence[str], task: Task) -> "RunProcess":
        """Starts a child and tells it its task.

        Raises:
            OSError: The system gives no further process.
        """
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            env=foreign_environment(),
            # Ctrl-C is for the service. A session of its own would also take the child out of the scheduling
            # group in which its lower priority counts.
            process_group=0,
        )
        if process.stdin is not None:
            process.stdin.write(write_task(task))
        return cls(process)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    async def messages(self) -> AsyncIterator[Message]:
        """Yields what the child says until it is silent for good."""
        if self._process.stdout is None:
            raise ValueError("the child has no output to listen to")
        while (line := await self._process.stdout.readline()).endswith(b"\n"):
            yield read_message(line)

    def kill(self) -> None:
        """Ends the child at once; a run can be killed at any moment."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def close(self) -> int:
        """Waits for the end of a child that has no more to say, and returns its exit code.

        A negative one is that of the signal that ended it.
        """
        try:
            return await asyncio.wait_for(self._process.wait(), _SECONDS_TO_END)
        except TimeoutError:
            self.kill()
            return await self._process.wait()
