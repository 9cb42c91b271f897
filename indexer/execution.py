"""Carrying a run out, under the lease: write what differs, embed what is missing, commit."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace

import pyarrow as pa

from chunking.options import TokenCounter
from indexer.known import IssueRow
from indexer.lexical import LexicalWriter
from indexer.options import IndexOptions
from indexer.progress import Progress
from indexer.reading import restore_page
from indexer.report import IndexReport
from indexer.reporting import RunOutcome, report_run
from indexer.rows import page_id
from indexer.space import SpaceChanged, SpaceGuard, settle_space
from indexer.survey import Survey
from indexer.vectors import Filling, VectorFiller, VectorTable, find_missing
from retrieval import schema
from retrieval.embedding.port import Embedder, EmbedderError
from retrieval.embedding.space import embed_probes
from retrieval.predicates import in_predicate
from retrieval.stopwatch import Stopwatch
from retrieval.store import Build, Clock, Counts, Generation, Writer

# More texts than this take the model seconds: the lexical side is published before it begins.
_MANY_TEXTS = 256
_LEXICAL_TABLES: tuple[schema.TableName, ...] = ("pages", "chunks", "links", "terms", "issues")
# An endpoint that is moved to another model changes once during a run; one that changes on is out of order.
_SPACES_A_RUN = 2
_VECTOR_TABLES: tuple[VectorTable, ...] = ("page_vectors", "chunk_vectors", "token_vectors")


class Execution:
    """One run under the lease. It commits at the end if anything changed, and before that when it is long."""

    def __init__(
        self,
        writer: Writer,
        survey: Survey,
        options: IndexOptions,
        *,
        build: Build,
        embedder: Embedder | None,
        counter: TokenCounter,
        clock: Clock,
        progress: Progress,
        watch: Stopwatch,
    ) -> None:
        self._writer = writer
        self._survey = survey
        self._options = options
        self._target = build
        self._embedder = embedder
        self._counter = counter
        self._clock = clock
        self._progress = progress
        self._watch = watch
        base = None if survey.rebuild else survey.base
        # Of the vector tables as they stand: those of the space before stay until the new ones are whole.
        self._space = base.space if base else None
        self._build = _with_space(build, base.build) if base and base.space else build
        # Vectors that answer are replaced all at once: nothing is published before the end.
        self._holding_back = survey.rebuild and survey.base is not None and survey.base.counts.embedded > 0
        self._beside = False
        self._embedder_failure: str | None = None
        self._terms = base.counts.terms if base else 0
        self._stored_issues = frozenset[IssueRow]() if survey.rebuild else survey.stored_issues
        self._last_commit = clock()

    async def run(self) -> IndexReport:
        """Writes, embeds, commits and reports."""
        if self._survey.rebuild:
            for table in _LEXICAL_TABLES:
                await self._writer.start_table(table)
        lexical = await self._write_lexical()
        issues = (*self._survey.issues, *lexical.issues)
        await self._write_issues(issues)
        fillings = await self._fill_vectors(self._embedder) if self._embedder else self._leave_out_vectors()
        issues = (*issues, *_embedding_issues(fillings.values(), self._embedder_failure))
        await self._write_issues(issues)
        if self._writer.touched or self._writer.base is None or self._is_other_generation():
            await self._commit(keeping=None)
        if self._target.tokens is not None and self._embedder_failure is None:
            await self._writer.caches.drop_token_codes()
        outcome = RunOutcome(
            survey=self._survey,
            written=lexical.written,
            failed=lexical.failed,
            fillings=fillings,
            issues=issues,
        )
        return await report_run(self._writer, outcome, self._watch)

    async def _write_lexical(self) -> LexicalWriter:
        survey = self._survey
        known = {} if survey.rebuild else survey.known
        lexical = LexicalWriter(
            self._writer, self._options, self._counter, known=known, progress=self._progress
        )
        with self._watch.measure("read"):
            if not survey.rebuild:
                await lexical.remove(survey.gone)
            await lexical.write(survey.files)
            if survey.rebuild:
                await self._carry_over(lexical)
        with self._watch.measure("link"):
            base = survey.base
            assets_changed = base is None or survey.rebuild or base.assets != survey.assets_digest
            self._terms += await lexical.finish(assets=survey.scan.assets, assets_changed=assets_changed)
        return lexical

    async def _carry_over(self, lexical: LexicalWriter) -> None:
        """Takes pages that cannot be read now from the old tables into the new ones."""
        base = self._survey.base
        failed = [path for path in lexical.failed if path in self._survey.known]
        staying = [*(page.path for page in self._survey.kept), *failed]
        if base is None or not staying:
            return
        where = in_predicate("page_id", [page_id(path) for path in staying])
        rows = await self._writer.committed_rows(base, "pages", columns=schema.PAGES.names, where=where)
        options = self._options
        pages = [
            restore_page(row, options.chunking, language=options.language, counter=self._counter)
            for row in rows.to_pylist()
        ]
        await lexical.put(pages)

    async def _fill_vectors(self, embedder: Embedder) -> dict[VectorTable, Filling]:
        """Gives every chunk and page its vector; why the embedder as such failed is kept for the issues."""
        if self._survey.base is not None and self._survey.base.build.tokens != self._target.tokens:
            self._writer.leave_out("token_vectors")
        if self._space is None:
            await self._start_vector_tables()
        if await self._answers_first():
            await self._publish()
        fillings: dict[VectorTable, Filling] = {}
        with self._watch.measure("embed"):
            try:
                fillings = await self._fill_one_space(embedder)
            except EmbedderError as error:
                self._embedder_failure = str(error)
        if self._beside:
            for table in _VECTOR_TABLES:
                self._writer.take_back(table)
            return {table: replace(filling, failed=[]) for table, filling in fillings.items()}
        return fillings

    async def _fill_one_space(self, embedder: Embedder) -> dict[VectorTable, Filling]:
        """Fills the tables with vectors of one space, which the embedder may turn out to have left."""
        guard = await self._find_space(embedder)
        if guard is None:
            await self._start_vector_tables()
            self._space, self._build = None, self._target
            return {}
        for _ in range(_SPACES_A_RUN):
            try:
                return await self._fill(embedder, guard)
            except SpaceChanged as change:
                space = await settle_space(self._writer, embedder, change.probes)
                guard = SpaceGuard(embedder, space, proved=True)
        raise EmbedderError("the embedding model changed again and again during the run")

    async def _find_space(self, embedder: Embedder) -> SpaceGuard | None:
        """Returns the space to fill; None where there is nothing to embed, and no reason to load a model."""
        if self._space is not None and self._space.declared == embedder.space:
            return SpaceGuard(embedder, self._space, proved=False)
        if await self._writer.count("chunks") == 0:
            return None
        probes = await asyncio.to_thread(embed_probes, embedder)
        space = await settle_space(self._writer, embedder, probes)
        return SpaceGuard(embedder, space, proved=True)

    async def _fill(self, embedder: Embedder, guard: SpaceGuard) -> dict[VectorTable, Filling]:
        """Fills the tables as they are, or new ones beside those that hold vectors of another space."""
        if self._space is not None and self._space.id != guard.space.id:
            if self._writer.touched and not self._holding_back:
                await self._publish()
            await self._start_vector_tables()
            self._holding_back, self._beside = True, not self._survey.rebuild
        else:
            self._space, self._build = guard.space, self._target
        filler = VectorFiller(
            self._writer,
            embedder,
            guard,
            self._options.chunking,
            before=self._survey.base,
            progress=self._progress,
            after_round=self._commit_if_due,
        )
        fillings = await filler.fill(with_tokens=self._target.tokens is not None)
        self._embedder_failure = next((each.gave_up for each in fillings.values() if each.gave_up), None)
        if fillings["chunk_vectors"].gave_up is None or not self._beside:
            self._space, self._build, self._beside = guard.space, self._target, False
        return fillings

    def _leave_out_vectors(self) -> dict[VectorTable, Filling]:
        for table in _VECTOR_TABLES:
            self._writer.leave_out(table)
        self._space, self._build = None, self._target
        return {}

    async def _start_vector_tables(self) -> None:
        for table in _VECTOR_TABLES:
            if table != "token_vectors" or self._target.tokens is not None:
                await self._writer.start_table(table, dimension=self._target.dimension)

    async def _answers_first(self) -> bool:
        """Says whether what is written should answer queries before the model starts."""
        if self._holding_back or not self._writer.touched:
            return False
        missing = await find_missing(self._writer, "chunk_vectors")
        return self._survey.base is None or sum(map(len, missing.values())) > _MANY_TEXTS

    async def _commit_if_due(self) -> None:
        due = self._clock() - self._last_commit >= self._options.commit_every
        if due and not self._holding_back and self._writer.touched:
            await self._publish()

    def _is_other_generation(self) -> bool:
        base = self._writer.base
        return base is not None and (
            (base.build, base.space, base.assets) != (self._build, self._space, self._survey.assets_digest)
        )

    async def _publish(self) -> None:
        """Commits before the end of the run, which may still be taken back."""
        await self._commit(keeping=self._survey.base)

    async def _commit(self, *, keeping: Generation | None) -> None:
        with self._watch.measure("commit"):
            counts = await self._count()
            await self._writer.commit(
                build=self._build,
                space=self._space,
                counts=counts,
                assets=self._survey.assets_digest,
                mounts=self._survey.mounts,
                keeping=keeping,
            )
        self._last_commit = self._clock()

    async def _count(self) -> Counts:
        writer = self._writer
        vectors = {table: await writer.count(table) if writer.has(table) else 0 for table in _VECTOR_TABLES}
        pages = await writer.rows("pages", columns=["language"])
        return Counts(
            pages=pages.num_rows,
            languages=dict(Counter(pages["language"].to_pylist())),
            chunks=await writer.count("chunks"),
            terms=self._terms,
            embedded=vectors["chunk_vectors"],
            tokens=vectors["token_vectors"],
            failed=sum(issue.chunk_id is not None for issue in self._stored_issues),
            page_vectors=vectors["page_vectors"],
            links=await writer.count("links"),
            issues=len(self._stored_issues),
        )

    async def _write_issues(self, issues: Sequence[IssueRow]) -> None:
        wanted = frozenset(issues)
        if wanted == self._stored_issues:
            return
        if self._stored_issues:
            await self._writer.delete("issues", "true")
        rows = sorted(
            (asdict(issue) for issue in wanted), key=lambda row: (row["path"], row["line"] or 0, row["code"])
        )
        await self._writer.append("issues", pa.Table.from_pylist(rows, schema=schema.ISSUES))
        self._stored_issues = wanted


def _with_space(build: Build, other: Build) -> Build:
    return replace(build, space=other.space, dimension=other.dimension, model=other.model)


def _embedding_issues(fillings: Iterable[Filling], failure: str | None) -> list[IssueRow]:
    rows = [
        IssueRow(
            stage="embed",
            path=text.path,
            line=text.line,
            code="embedding-failed",
            detail=text.reason,
            chunk_id=text.chunk_id,
        )
        for filling in fillings
        for text in filling.failed
    ]
    if failure is not None:
        rows.append(
            IssueRow(stage="embed", path=schema.WHOLE_WIKI, line=None, code="embedder-failed", detail=failure)
        )
    return rows
