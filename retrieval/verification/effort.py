"""How much of the processor one request may take to compare texts."""

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Effort:
    """Processor time for what one request asks for, in seconds of the threads that do it.

    Looking for a passage costs as much as the pages are long in which it might be, so the size of a request
    does not bound it.
    """

    def __init__(self, seconds: float) -> None:
        self._left = seconds

    def map(
        self,
        work: Callable[[_Item], _Result],
        items: Iterable[_Item],
        *,
        otherwise: Callable[[_Item], _Result],
    ) -> list[_Result]:
        """Returns `work` of each item, done here and now, and `otherwise` of those that no time is left for.

        What has begun is finished.
        """
        begun, results = time.thread_time(), []
        for item in items:
            is_left = time.thread_time() - begun < self._left
            results.append(work(item) if is_left else otherwise(item))
        self._left -= time.thread_time() - begun
        return results
