"""Finding out what a run has to do, without writing anything."""

import asyncio
import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from indexer.bounds import EVERYTHING, Bounds
from indexer.changes import ChangeSet, KnownPage, detect_changes
from indexer.errors import RootEmpty
from indexer.known import IssueRow, issue_row, read_issues, read_known_pages
from indexer.options import IndexOptions, RunMode
from indexer.reading import access_issue, hash_bytes
from indexer.root import find_unmounted, is_bare
from indexer.scan import Scan, ScanIssue, ScannedFile, read_page, scan_wiki
from retrieval.schema import SCHEMA_VERSION
from retrieval.store import (
    TOO_NEW,
    Build,
    Generation,
    IndexDamaged,
    IndexTooNew,
    SnapshotLost,
    Store,
)

NOT_MOUNTED = "not-mounted"
"""The code of the issue of a folder that was a mounted one and is an empty one now."""

_UNMOUNTED = "nothing is mounted there any more; mount it, or allow an empty folder if its pages are gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What the folder and the index hold, and where they differ.

    `files` are to be written, `gone` removed, `kept` left as they are because they cannot be looked at or lie
    outside of the run's bounds; `unchanged` are the paths of the rest. `rebuild` says that all lexical tables
    are to be built anew.
    `issues` are those of the scan and of unchanged pages, `stored_issues` what the index holds. `mounts` are
    the folders at which something is mounted, or was before this run and should be.
    """

    scan: Scan
    base: Generation | None
    known: Mapping[str, KnownPage]
    rebuild: bool
    files: tuple[ScannedFile, ...]
    gone: tuple[KnownPage, ...]
    kept: tuple[KnownPage, ...]
    unchanged: frozenset[str]
    issues: tuple[IssueRow, ...]
    stored_issues: frozenset[IssueRow]
    assets_digest: str
    mounts: tuple[str, ...]

    def is_up_to_date(self, build: Build) -> bool:
        """Says whether a run has nothing to write and nothing to try again."""
        base = self.base
        if base is None or self.rebuild or self.files or self.gone or base.build != build:
            return False
        counts = base.counts
        tokens_wait = build.tokens is not None and counts.tokens < counts.embedded
        waiting = build.space is not None and (counts.pending > 0 or tokens_wait)
        # An issue of embedding is never among those of the survey: a text that failed is tried again.
        same = frozenset(self.issues) == self.stored_issues and self.assets_digest == base.assets
        return same and not waiting


@dataclass(slots=True)
class _Check:
    """Files whose hash was compared with the index: some are the same, some cannot be read."""

    same: set[str] = field(default_factory=set)
    failures: list[IssueRow] = field(default_factory=list)


async def survey_wiki(
    store: Store | None, options: IndexOptions, build: Build, mode: RunMode, bounds: Bounds = EVERYTHING
) -> Survey:
    """Compares the folder with the newest generation; without a store there is none.

    Pages outside of `bounds` are as the index knows them. The bounds do not count for an index of another
    schema, of whose pages nothing can be taken over.

    Raises:
        RootUnavailable: The folder is missing or cannot be listed.
        RootEmpty: It is empty and the index is not, and the options do not allow that.
        IndexTooNew: A newer version wrote the index, and the mode is not `full`.
        IndexDamaged: The index cannot be read, and the mode is not `full`.
    """
    folder = None if "://" in options.uri else options.uri
    scan = await asyncio.to_thread(scan_wiki, options.root, options.scan, index_folder=folder)
    base, known, stored = await _read_index(store, mode)
    if base is not None and not options.allow_empty:
        scan = await asyncio.to_thread(_keep_unmounted, options.root, scan, base)
    if base is not None and base.build.schema != SCHEMA_VERSION:
        bounds = EVERYTHING
    rebuild = base is None or mode == "full" or not _is_same_text_build(base.build, build)
    changes = detect_changes(scan, known, bounds, read_all=rebuild, now_ns=time.time_ns())
    check = _Check() if rebuild else await asyncio.to_thread(_check_hashes, options.root, changes, known)
    failed = {issue.path for issue in check.failures}
    unchanged = changes.unchanged | check.same
    kept = (*changes.kept, *(known[path] for path in sorted(failed)))
    still = unchanged | {page.path for page in kept}
    return Survey(
        scan=scan,
        base=base,
        known=known,
        rebuild=rebuild,
        files=tuple(file for file in changes.to_read if file.path not in still),
        gone=changes.gone,
        kept=kept,
        unchanged=unchanged,
        issues=(*_scan_issues(scan), *check.failures, *_kept_issues(stored, still, bounds)),
        stored_issues=frozenset(stored),
        assets_digest=_digest(scan.assets),
        mounts=scan.mounts,
    )


async def _read_index(
    store: Store | None, mode: RunMode
) -> tuple[Generation | None, dict[str, KnownPage], tuple[IssueRow, ...]]:
    history = await store.generations() if store else ()
    if store is None or not history:
        return None, {}, ()
    newest = history[0]
    if newest.build.schema > SCHEMA_VERSION and mode != "full":
        raise IndexTooNew(TOO_NEW)
    if newest.build.schema != SCHEMA_VERSION:
        # Its tables have other columns: nothing of it can be taken over but the vectors.
        return newest, {}, ()
    try:
        return await _read_tables(store)
    except IndexDamaged:
        if mode != "full":
            raise
        return newest, {}, ()


async def _read_tables(store: Store) -> tuple[Generation, dict[str, KnownPage], tuple[IssueRow, ...]]:
    snapshot = await store.snapshot()
    generation = snapshot.generation
    try:
        return generation, await read_known_pages(snapshot), await read_issues(snapshot)
    except SnapshotLost as error:
        raise await store.explain_loss(generation.commit_id) from error


def _keep_unmounted(root: Path, scan: Scan, base: Generation) -> Scan:
    """Adds the folders that cannot be looked at because nothing is mounted there now.

    Raises:
        RootEmpty: The root is one of them, or holds nothing at all, while the index holds pages.
    """
    lost = find_unmounted(root, base.mounts, (file.path for file in scan.files))
    if base.counts.pages and not scan.files and ("" in lost or is_bare(root)):
        raise RootEmpty(
            f"the wiki folder {str(root)!r} is empty but its index holds {base.counts.pages} pages; "
            "mount the folder, or allow an empty one if all pages are really gone"
        )
    lost = tuple(folder for folder in lost if folder)
    return replace(
        scan,
        unreadable=(*scan.unreadable, *lost),
        issues=(*scan.issues, *(ScanIssue(path=path, code=NOT_MOUNTED, detail=_UNMOUNTED) for path in lost)),
        mounts=tuple(sorted({*scan.mounts, *lost})),
    )


def _is_same_text_build(old: Build, new: Build) -> bool:
    return replace(old, space=new.space, dimension=new.dimension, model=new.model, tokens=new.tokens) == new


def _check_hashes(root: Path, changes: ChangeSet, known: Mapping[str, KnownPage]) -> _Check:
    """Reads the known files whose size and time prove nothing."""
    check = _Check()
    for file in changes.to_read:
        page = known.get(file.path)
        if page is None:
            continue
        try:
            same = hash_bytes(read_page(root, file.path)) == page.page_sha256
        except OSError as error:
            check.failures.append(issue_row("read", file.path, access_issue(error)))
            continue
        # A file that was only touched is written again for its new time; its vectors are reused.
        if same and file.mtime_ns == page.mtime_ns:
            check.same.add(file.path)
    return check


def _scan_issues(scan: Scan) -> list[IssueRow]:
    return [
        IssueRow(stage="scan", path=issue.path, line=None, code=issue.code, detail=issue.detail)
        for issue in scan.issues
    ]


def _kept_issues(stored: tuple[IssueRow, ...], staying: frozenset[str], bounds: Bounds) -> list[IssueRow]:
    """Returns the issues that still hold: those of texts that stay, and of files that are not tried."""
    return [
        issue
        for issue in stored
        if (issue.stage == "page" and issue.path in staying)
        or (issue.stage == "read" and not bounds.cover(issue.path))
    ]


def _digest(paths: tuple[str, ...]) -> str:
    # No path holds a NUL.
    return hashlib.sha256("\0".join(paths).encode()).hexdigest()[:32]
