"""What a run did, as it is shown to people and printed for programs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

RunStatus = Literal["ok", "partial"]
"""`partial`: the run is done, but a page could not be read or embedded; it is tried again next time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageCounts:
    """Pages by what happened to them; a moved page counts neither as added nor as deleted."""

    total: int = 0
    added: int = 0
    changed: int = 0
    moved: int = 0
    deleted: int = 0
    unchanged: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorCounts:
    """`total` chunks (or pages); vectors `embedded` by the model in this run and `reused` by it.

    `pending` have no vector yet.
    """

    total: int = 0
    embedded: int = 0
    reused: int = 0
    pending: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """Something wrong with one page or entry of the wiki; `line` is 1-based, None for the whole of it."""

    path: str
    line: int | None
    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """The outcome of a run. `generation` is the newest one, whether or not this run made it.

    `links` counts all links of the wiki by status; `seconds` is the time spent, by phase.
    """

    status: RunStatus
    generation: int
    pages: PageCounts
    chunks: VectorCounts
    page_vectors: VectorCounts
    links: Mapping[str, int]
    issues: tuple[Issue, ...]
    seconds: Mapping[str, float]


def to_dict(report: IndexReport) -> dict[str, Any]:
    """Returns the report as JSON values."""
    return asdict(report)
