"""A dry run: what a run would do, found out without the lease and without writing anything."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from chunking.options import TokenCounter
from indexer.known import IssueRow, issue_row
from indexer.options import IndexOptions
from indexer.progress import Progress
from indexer.reading import PageFailure, read_file
from indexer.report import ChunkForecast, RunPreview
from indexer.reporting import count_pages, sort_changes, sort_issues
from indexer.scan import ScannedFile
from indexer.survey import Survey
from retrieval.embedding.port import embedding_key
from retrieval.stopwatch import Stopwatch
from retrieval.store import Build, Store

_PAGES_A_BATCH = 256


@dataclass(slots=True)
class _Reading:
    """The pages that a run would write: hashes by path, keys of the texts to embed, and failures."""

    written: dict[str, str] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    failures: list[IssueRow] = field(default_factory=list)
    chunks: int = 0


async def preview_run(
    store: Store | None,
    survey: Survey,
    options: IndexOptions,
    *,
    build: Build,
    counter: TokenCounter,
    progress: Progress,
    watch: Stopwatch,
) -> RunPreview:
    """Reads what a run would write and tells how that differs from the index."""
    with watch.measure("read"):
        reading = await _read_files(survey, options, build, counter, progress)
    changes = sort_changes(survey, reading.written)
    issues = [*survey.issues, *reading.failures]
    failed = {issue.path for issue in issues if issue.stage == "read"} | set(survey.scan.unreadable)
    total = len(survey.known) - len(survey.gone) + len(reading.written.keys() - survey.known.keys())
    return RunPreview(
        status="partial" if failed else "ok",
        generation=survey.base.number if survey.base else None,
        rebuild=survey.rebuild,
        pages=count_pages(changes, total=total, failed=len(failed)),
        changes=changes,
        chunks=ChunkForecast(
            written=reading.chunks, embedded=await _count_texts(store, survey, build, reading.keys)
        ),
        issues=sort_issues(issues),
        seconds=watch.seconds(),
    )


async def _read_files(
    survey: Survey,
    options: IndexOptions,
    build: Build,
    counter: TokenCounter,
    progress: Progress,
) -> _Reading:
    reading, files, space = _Reading(), survey.files, _name_space(survey, build)
    progress.start("read", len(files))
    for start in range(0, len(files), _PAGES_A_BATCH):
        batch = files[start : start + _PAGES_A_BATCH]
        await asyncio.to_thread(_read_batch, batch, options, space, counter, reading)
        progress.advance(len(batch))
    progress.finish()
    return reading


def _read_batch(
    files: Sequence[ScannedFile],
    options: IndexOptions,
    space: str | None,
    counter: TokenCounter,
    reading: _Reading,
) -> None:
    for file in files:
        parsed = read_file(
            options.root,
            file,
            seen_ns=0,
            options=options.chunking,
            language=options.language,
            counter=counter,
        )
        if isinstance(parsed, PageFailure):
            reading.failures.append(issue_row("read", parsed.path, parsed.issue))
            continue
        chunks = parsed.page.chunks
        reading.written[file.path] = parsed.source.page_sha256
        reading.chunks += len(chunks)
        if space is not None:
            reading.keys += [embedding_key(space, "chunk", chunk.embedded_text) for chunk in chunks]


def _name_space(survey: Survey, build: Build) -> str | None:
    """Returns the id of the vector space; no model is asked, so what it says of itself must do."""
    base = survey.base
    if base is None or base.space is None or base.build.space != build.space:
        return build.space
    return base.space.id


async def _count_texts(store: Store | None, survey: Survey, build: Build, keys: Sequence[str]) -> int:
    """Returns how many texts have no vector in the index: those of the pages read, and those that wait."""
    base = survey.base
    if build.space is None:
        return 0
    if store is None or base is None or base.space is None or base.build.space != build.space:
        # Another vector space needs every text anew, those of unchanged pages too.
        unread = base.counts.chunks if base and not survey.rebuild else 0
        return len(set(keys)) + unread
    snapshot = await store.snapshot(base.number)
    rows = await snapshot.rows("chunk_vectors", columns=["embedding_key"])
    waiting = 0 if survey.rebuild else base.counts.pending
    return len(set(keys) - set(rows["embedding_key"].to_pylist())) + waiting
