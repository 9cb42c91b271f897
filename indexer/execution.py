"""Carrying a run out, under the lease: write what differs, embed what is missing, commit."""

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
from indexer.stopwatch import Stopwatch
from indexer.survey import Survey
from indexer.vectors import Filling, VectorFiller, VectorTable
from retrieval import schema
from retrieval.embedding.port import Embedder
from retrieval.predicates import in_predicate
from retrieval.store import Build, Clock, Counts, Writer

# More texts than this take the model seconds: the lexical side is published before it begins.
_MANY_TEXTS = 256
_LEXICAL_TABLES: tuple[schema.TableName, ...] = ("pages", "chunks", "links", "terms", "issues")
_VECTOR_TABLES: tuple[VectorTable, ...] = ("page_vectors", "chunk_vectors")


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
        base = survey.base
        # Vectors of another space answer until the last of the new ones is there; the switch is one commit.
        self._switching = (
            base is not None and not survey.rebuild and base.build.space not in (None, build.space)
        )
        self._build = _with_space(build, base.build) if base and self._switching else build
        self._terms = base.counts.terms if base and not survey.rebuild else 0
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
        fillings = await self._fill_vectors() if self._embedder else {}
        if not self._embedder:
            for table in _VECTOR_TABLES:
                self._writer.leave_out(table)
        issues = (*issues, *_embedding_issues(fillings.values()))
        await self._write_issues(issues)
        self._build = self._target
        if self._writer.touched or self._writer.base is None or self._is_other_generation():
            await self._commit()
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
        rows = await self._writer.committed_rows("pages", columns=schema.PAGES.names, where=where)
        pages = [restore_page(row, self._options.chunking, self._counter) for row in rows.to_pylist()]
        await lexical.put(pages)

    async def _fill_vectors(self) -> dict[VectorTable, Filling]:
        if self._embedder is None:
            raise ValueError("an index without an embedder has no vectors to fill")
        if self._switching and self._writer.touched:
            await self._commit()
        for table in _VECTOR_TABLES:
            if self._survey.rebuild or self._switching or not self._writer.has(table):
                await self._writer.start_table(table, dimension=self._target.dimension)
        filler = VectorFiller(
            self._writer,
            self._embedder,
            self._options.chunking,
            progress=self._progress,
            after_round=self._commit_if_due,
        )
        if await self._answers_first(filler):
            await self._commit()
        with self._watch.measure("embed"):
            return {table: await filler.fill(table) for table in _VECTOR_TABLES}

    async def _answers_first(self, filler: VectorFiller) -> bool:
        """Says whether what is written should answer queries before the model starts."""
        if self._switching or not self._writer.touched:
            return False
        first = self._survey.base is None
        return first or await filler.count_missing("chunk_vectors") > _MANY_TEXTS

    async def _commit_if_due(self) -> None:
        due = self._clock() - self._last_commit >= self._options.commit_every
        if due and not self._switching and self._writer.touched:
            await self._commit()

    def _is_other_generation(self) -> bool:
        base = self._writer.base
        return base is not None and (base.build != self._build or base.assets != self._survey.assets_digest)

    async def _commit(self) -> None:
        with self._watch.measure("commit"):
            counts = await self._count()
            await self._writer.commit(build=self._build, counts=counts, assets=self._survey.assets_digest)
        self._last_commit = self._clock()

    async def _count(self) -> Counts:
        writer = self._writer
        vectors = {table: await writer.count(table) if writer.has(table) else 0 for table in _VECTOR_TABLES}
        return Counts(
            pages=await writer.count("pages"),
            chunks=await writer.count("chunks"),
            terms=self._terms,
            embedded=vectors["chunk_vectors"],
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


def _embedding_issues(fillings: Iterable[Filling]) -> list[IssueRow]:
    return [
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
