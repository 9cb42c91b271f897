"""A job: one index run that the service was asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from indexer.progress import Phase

JobMode = Literal["incremental", "full", "dry-run"]
"""How the wiki is compared with its index; `dry-run` tells what an incremental run would do."""

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
"""A job waits, runs, and ends in one of three ways."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobProgress:
    """How far the run is in its present phase, in pages (read, link) or texts (embed)."""

    phase: Phase
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobError:
    """Why a job failed, in words that may be shown to anybody."""

    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as it is at one moment. Times are seconds since the epoch; `paths` empty means the whole wiki.

    `report` is that of the run, or of the dry run, once the job is done.
    """

    id: str
    wiki: str
    mode: JobMode
    paths: tuple[str, ...]
    state: JobState
    created: float
    started: float | None = None
    finished: float | None = None
    progress: JobProgress | None = None
    report: Mapping[str, Any] | None = None
    error: JobError | None = None

    @property
    def is_over(self) -> bool:
        """Says whether nothing of the job will change any more."""
        return self.finished is not None

    @property
    def seconds(self) -> float | None:
        """How long the run took; None while it runs, and for a job that was cancelled before."""
        return None if self.started is None or self.finished is None else self.finished - self.started
