"""Summing a run up."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from indexer.known import IssueRow
from indexer.report import IndexReport, Issue, PageCounts, VectorCounts
from indexer.stopwatch import Stopwatch
from indexer.survey import Survey
from indexer.vectors import Filling, VectorTable
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


def _summarise(
    generation: Generation, outcome: RunOutcome, statuses: pa.Table, watch: Stopwatch
) -> IndexReport:
    counts = generation.counts
    failed = _failed_paths(outcome)
    pending = counts.pending if generation.build.space is not None else 0
    return IndexReport(
        status="partial" if failed or pending else "ok",
        generation=generation.number,
        pages=_count_pages(outcome, total=counts.pages, failed=len(failed)),
        chunks=_count_vectors(outcome.fillings.get("chunk_vectors"), total=counts.chunks, pending=pending),
        page_vectors=_count_vectors(
            outcome.fillings.get("page_vectors"), total=counts.page_vectors, pending=0
        ),
        links=dict(sorted(Counter(statuses["status"].to_pylist()).items())),
        issues=_sort_issues(outcome.issues),
        seconds=watch.seconds(),
    )


def _count_pages(outcome: RunOutcome, *, total: int, failed: int) -> PageCounts:
    survey = outcome.survey
    added = {path: sha for path, sha in outcome.written.items() if path not in survey.known}
    changed = [
        path
        for path, sha in outcome.written.items()
        if path in survey.known and sha != survey.known[path].page_sha256
    ]
    came, went = Counter(added.values()), Counter(page.page_sha256 for page in survey.gone)
    moved = (came & went).total()
    return PageCounts(
        total=total,
        added=len(added) - moved,
        changed=len(changed),
        moved=moved,
        deleted=len(survey.gone) - moved,
        unchanged=total - len(added) - len(changed),
        failed=failed,
    )


def _count_vectors(filling: Filling | None, *, total: int, pending: int) -> VectorCounts:
    done = filling or Filling()
    return VectorCounts(total=total, embedded=done.embedded, reused=done.reused, pending=pending)


def _failed_paths(outcome: RunOutcome) -> set[str]:
    """Returns the paths of pages, or folders of pages, whose state in the index is not that of the folder."""
    found = {issue.path for issue in outcome.issues if issue.stage in ("read", "embed")}
    return found | set(outcome.survey.scan.unreadable) | set(outcome.failed)


def _sort_issues(issues: Iterable[IssueRow]) -> tuple[Issue, ...]:
    shown = {
        Issue(path=issue.path, line=issue.line, code=issue.code, detail=issue.detail) for issue in issues
    }
    return tuple(sorted(shown, key=lambda issue: (issue.path, issue.line or 0, issue.code, issue.detail)))
