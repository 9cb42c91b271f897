"""What a run did or would do, as it is shown to people and printed for programs."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A page that is at another path now, with the same bytes."""

    source: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChanges:
    """The paths of pages by what happened to them, in order."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    moved: tuple[Move, ...]
    deleted: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkForecast:
    """`written` chunks are those of the pages to be written; at most `embedded` texts need the model.

    Vectors of texts that are in the index no more are kept as well; a forecast does not look them up.
    """

    written: int
    embedded: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPreview:
    """What a run would do. `generation` is the newest one, None for a wiki without an index.

    `rebuild` says that all tables would be built anew.
    """

    status: RunStatus
    generation: int | None
    rebuild: bool
    pages: PageCounts
    changes: PageChanges
    chunks: ChunkForecast
    issues: tuple[Issue, ...]
    seconds: Mapping[str, float]


def to_dict(report: IndexReport | RunPreview) -> dict[str, Any]:
    """Returns the report as JSON values."""
    return asdict(report)
