"""What the index holds before a run: its pages, and the issues of those that stay."""

from dataclasses import dataclass
from typing import Literal

from chunking import PageIssue
from indexer.changes import KnownPage
from indexer.names import PageNames
from retrieval.schema import ISSUES
from retrieval.store import Snapshot

Stage = Literal["scan", "read", "page", "embed"]
"""Which part of a run finds an issue. One of `page` (the parser) holds as long as the page is the same."""

_COLUMNS = ("path", "title", "aliases", "size", "mtime_ns", "seen_ns", "page_sha256")


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueRow:
    """An issue as the index keeps it."""

    stage: Stage
    path: str
    line: int | None
    code: str
    detail: str
    chunk_id: str | None = None


def issue_row(stage: Stage, path: str, issue: PageIssue) -> IssueRow:
    """Returns the row of something that is wrong with a page."""
    return IssueRow(stage=stage, path=path, line=issue.line, code=issue.code, detail=issue.detail)


async def read_known_pages(snapshot: Snapshot) -> dict[str, KnownPage]:
    """Returns the pages of a generation by path."""
    rows = await snapshot.rows("pages", columns=_COLUMNS)
    return {
        row["path"]: KnownPage(
            names=PageNames(path=row["path"], title=row["title"], aliases=tuple(row["aliases"])),
            size=row["size"],
            mtime_ns=row["mtime_ns"],
            seen_ns=row["seen_ns"],
            page_sha256=row["page_sha256"],
        )
        for row in rows.to_pylist()
    }


async def read_issues(snapshot: Snapshot) -> tuple[IssueRow, ...]:
    """Returns the issues of a generation."""
    rows = await snapshot.rows("issues", columns=ISSUES.names)
    return tuple(IssueRow(**row) for row in rows.to_pylist())
