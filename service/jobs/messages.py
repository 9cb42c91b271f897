"""What service and child process say to each other: one task in, lines of JSON out.

The task goes through standard input, which stays open as long as the service lives: when it ends, so does the
child.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from service.jobs.job import JobError, JobMode, JobProgress
from service.settings import GivenSettings, Settings

# A run needs none of them, and what a process does not have it cannot give away.
_WITHHELD = {"api_token", "admin_token", "llm"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a child is to do. Its settings hold no token; `request_id` is of the request that asked for it."""

    settings: Settings
    wiki: str
    mode: JobMode
    paths: Sequence[str]
    request_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The last word of a run that came to its end, with its report."""

    report: Mapping[str, Any]


Message = JobProgress | Done | JobError
"""What a child says: progress as often as it likes, then one of the others."""

_KINDS: Mapping[str, type[Message]] = {"progress": JobProgress, "done": Done, "error": JobError}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def write_task(task: Task) -> bytes:
    """Returns the line that tells a child its task."""
    settings = task.settings.model_dump(mode="json", exclude=_WITHHELD)
    content = {field.name: getattr(task, field.name) for field in fields(task)}
    return _write_line({**content, "settings": settings})


def read_task(line: bytes) -> Task:
    """Reads the line that `write_task` wrote."""
    content = json.loads(line)
    return Task(**{**content, "settings": GivenSettings(**content["settings"])})


def write_message(message: Message) -> bytes:
    """Returns the line of a message."""
    return _write_line({"kind": _NAMES[type(message)], **asdict(message)})


def read_message(line: bytes) -> Message:
    """Reads the line that `write_message` wrote."""
    content = json.loads(line)
    return _KINDS[content.pop("kind")](**content)


def _write_line(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content).encode() + b"\n"
