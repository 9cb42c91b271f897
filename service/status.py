"""The state of the wikis, as every surface shows it."""

import errno
from importlib.metadata import version

from chunking import WikitrailError
from indexer.known import IssueRow, read_issues
from indexer.survey import NOT_MOUNTED
from retrieval.availability import highest_level
from retrieval.citation import format_time
from retrieval.models import Models
from retrieval.store import Generation, Snapshot
from service.places import is_read_only
from service.wire.status import (
    BuildAnswer,
    CountsAnswer,
    IssueAnswer,
    QualityAnswer,
    StatusAnswer,
    TuningAnswer,
    WikiAnswer,
)
from service.wiring import Application, Wiki

MAX_ISSUES = 100
"""Issues that a wiki's state lists."""


async def read_status(application: Application, name: str | None = None) -> StatusAnswer:
    """Returns the state of every wiki, or of the one with this name."""
    wikis = application.wikis.values() if name is None else [application.wiki(name)]
    embedder = application.query_embedder
    return StatusAnswer(
        version=version("wikitrail"),
        embedder="disabled" if embedder is None else embedder.state,
        wikis=[await _read_wiki(wiki, application.models) for wiki in wikis],
    )


async def _read_wiki(wiki: Wiki, models: Models) -> WikiAnswer:
    read_only = is_read_only(wiki.settings.index_uri)

    async def read(snapshot: Snapshot) -> WikiAnswer:
        issues = sorted(await read_issues(snapshot), key=lambda row: (row.path, row.line or 0, row.code))
        generation = snapshot.generation
        return WikiAnswer(
            wiki=wiki.name,
            state="ready",
            code=None,
            generation=generation.number,
            indexed=format_time(generation.created),
            level=highest_level(generation, models),
            read_only=read_only,
            counts=CountsAnswer.of(generation),
            failed_pages=sorted({row.path for row in issues if _is_failure(row)}),
            issues=[
                IssueAnswer(path=row.path, line=row.line, code=row.code, detail=row.detail)
                for row in issues[:MAX_ISSUES]
            ],
            build=_describe_build(generation),
            quality=QualityAnswer.of(generation),
            tuning=TuningAnswer.of(generation),
        )

    try:
        return await wiki.reader.read(read)
    except WikitrailError as error:
        return _unavailable(wiki.name, error.code, read_only=read_only)


def _unavailable(name: str, code: str, *, read_only: bool) -> WikiAnswer:
    return WikiAnswer(
        wiki=name,
        state="unavailable",
        code=code,
        generation=None,
        indexed=None,
        level=None,
        read_only=read_only,
        counts=None,
        failed_pages=[],
        issues=[],
        build=None,
        quality=None,
        tuning=None,
    )


def _is_failure(row: IssueRow) -> bool:
    """Says whether the index does not hold the page as it is on disk, or not all of its vectors."""
    # What a scan cannot look at has the name of the system's error; its other issues are entries left out.
    unseen = row.code == NOT_MOUNTED or row.code in errno.errorcode.values()
    return row.stage in ("read", "embed") or (row.stage == "scan" and unseen)


def _describe_build(generation: Generation) -> BuildAnswer:
    build = generation.build
    return BuildAnswer(
        schema_version=build.schema,
        chunker=build.chunker,
        analyzer=build.analyzer,
        dialect=build.dialect,
        language=build.language,
        max_tokens=build.max_tokens,
        tokenizer=build.tokenizer,
        model=build.model,
        dimension=build.dimension,
        config_digest=generation.config_digest,
    )
