"""Summing a run up."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from indexer.changes import pair_moves
from indexer.known import IssueRow
from indexer.report import IndexReport, Issue, Move, PageChanges, PageCounts, VectorCounts
from indexer.survey import Survey
from indexer.vectors import Filling, VectorTable
from retrieval.stopwatch import Stopwatch
from retrieval.store import Generation, Store, Writer


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """What a run has done. `written` maps the paths of the pages written to the hash of their bytes."""

    survey: Survey
    written: Mapping[str, str]
    failed: Sequence[str]
    fillings: Mapping[VectorTable, Filling]
    issues: Sequence[IssueRow]


async def report_unchanged(store: Store, survey: Survey, watch: Stopwatch) -> IndexReport:
    """Returns the report of a run that had nothing to do."""
    snapshot = await store.snapshot()
    outcome = RunOutcome(survey=survey, written={}, failed=(), fillings={}, issues=survey.issues)
    statuses = await snapshot.rows("links", columns=["status"])
    return _summarise(snapshot.generation, outcome, statuses, watch)


async def report_run(writer: Writer, outcome: RunOutcome, watch: Stopwatch) -> IndexReport:
    """Returns the report of a run that has committed what it had to."""
    if writer.base is None:
        raise ValueError("a run is reported after its commit")
    statuses = await writer.rows("links", columns=["status"])
    return _summarise(writer.base, outcome, statuses, watch)


def sort_changes(survey: Survey, written: Mapping[str, str]) -> PageChanges:
    """Tells what happened to the pages that a run removed and wrote; `written` maps paths to hashes."""
    added = {path: sha for path, sha in written.items() if path not in survey.known}
    changed = [
        path
        for path, sha in written.items()
        if path in survey.known and sha != survey.known[path].page_sha256
    ]
    moved = pair_moves(added, survey.gone)
    sources, targets = {source for source, _ in moved}, {target for _, target in moved}
    return PageChanges(
        added=tuple(sorted(added.keys() - targets)),
        changed=tuple(sorted(changed)),
        moved=tuple(Move(source=source, target=target) for source, target in moved),
        deleted=tuple(sorted({page.path for page in survey.gone} - sources)),
    )


def _summarise(
    generation: Generation, outcome: RunOutcome, statuses: pa.Table, watch: Stopwatch
) -> IndexReport:
    counts = generation.counts
    failed = _failed_paths(outcome)
    pending = counts.pending if generation.build.space is not None else 0
    return IndexReport(
        status="partial" if failed or pending else "ok",
        generation=generation.number,
        pages=count_pages(
            sort_changes(outcome.survey, outcome.written), total=counts.pages, failed=len(failed)
        ),
        chunks=_count_vectors(outcome.fillings.get("chunk_vectors"), total=counts.chunks, pending=pending),
        page_vectors=_count_vectors(
            outcome.fillings.get("page_vectors"), total=counts.page_vectors, pending=0
        ),
        links=dict(sorted(Counter(statuses["status"].to_pylist()).items())),
        issues=sort_issues(outcome.issues),
        seconds=watch.seconds(),
    )


def count_pages(changes: PageChanges, *, total: int, failed: int) -> PageCounts:
    """Returns the counts of a wiki that has `total` pages after these changes."""
    fresh = len(changes.added) + len(changes.moved) + len(changes.changed)
    return PageCounts(
        total=total,
        added=len(changes.added),
        changed=len(changes.changed),
        moved=len(changes.moved),
        deleted=len(changes.deleted),
        unchanged=total - fresh,
        failed=failed,
    )


def _count_vectors(filling: Filling | None, *, total: int, pending: int) -> VectorCounts:
    done = filling or Filling()
    return VectorCounts(total=total, embedded=done.embedded, reused=done.reused, pending=pending)


def _failed_paths(outcome: RunOutcome) -> set[str]:
    """Returns the paths of pages, or folders of pages, whose state in the index is not that of the folder."""
    found = {issue.path for issue in outcome.issues if issue.stage in ("read", "embed")}
    return found | set(outcome.survey.scan.unreadable) | set(outcome.failed)


def sort_issues(issues: Iterable[IssueRow]) -> tuple[Issue, ...]:
    """Returns issues as a report shows them, each once."""
    shown = {
        Issue(path=issue.path, line=issue.line, code=issue.code, detail=issue.detail) for issue in issues
    }
    return tuple(sorted(shown, key=lambda issue: (issue.path, issue.line or 0, issue.code, issue.detail)))
