"""The id of a request: in its answer, and in every record that is logged while it is served."""

import re
import uuid
from contextvars import ContextVar

HEADER = "X-Request-ID"

# Short, and of characters that mean nothing to terminals, shells and logs.
_SAFE = re.compile(r"[A-Za-z0-9._-]{1,64}")
_current: ContextVar[str | None] = ContextVar("request_id", default=None)


def begin_request(wanted: str | None = None) -> str:
    """Gives the present task, and what it starts, an id: the wanted one if it is safe, else a new one."""
    request_id = wanted if wanted is not None and _SAFE.fullmatch(wanted) else uuid.uuid4().hex
    _current.set(request_id)
    return request_id


def current_request_id() -> str | None:
    """Returns the id of the request that is being served; None outside of any."""
    return _current.get()
