"""The time that one request has, which its parts share."""

import time

REQUEST_SECONDS = 12.0
"""How long a request may take whose caller does not say."""


class Deadline:
    """Runs out `seconds` from now. It bounds the waiting for models; reading tables is not cut short."""

    def __init__(self, seconds: float = REQUEST_SECONDS) -> None:
        self._end = time.monotonic() + seconds

    def left(self, most: float) -> float:
        """Returns how many seconds a part may wait: at most `most`, and none once the time is up."""
        return min(most, max(0.0, self._end - time.monotonic()))

    @property
    def has_passed(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self._end
