"""Writing pages, chunks, links and terms: the part of a run that needs no model."""

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from chunking.options import TokenCounter
from indexer.changes import KnownPage
from indexer.known import IssueRow, issue_row
from indexer.linking import Linker, Names, PageLinks, outline_for_links
from indexer.names import PageNames
from indexer.options import IndexOptions
from indexer.progress import Progress
from indexer.reading import PageFailure, ParsedPage, read_file
from indexer.rows import chunk_rows, page_id, page_rows
from indexer.scan import ScannedFile
from indexer.statistics import CHUNK_COLUMNS, TermStatistics
from retrieval.outline import Outline
from retrieval.predicates import in_predicate
from retrieval.schema import TableName
from retrieval.store import Writer

_PAGES_A_BATCH = 256
# A page takes some ten times its size while it is parsed and written.
_BYTES_A_BATCH = 16 * 1024 * 1024
_Item = TypeVar("_Item")
_PAGE_TABLES: tuple[TableName, ...] = ("pages", "chunks", "chunk_vectors", "page_vectors", "token_vectors")


class LexicalWriter:
    """Replaces the rows of pages that changed and removes those of pages that went.

    Afterwards `names` holds those of all pages of the wiki, `written` the hash of each page written, `failed`
    the paths of those that could not be read, and `issues` what is wrong with any of them.
    """

    def __init__(
        self,
        writer: Writer,
        options: IndexOptions,
        counter: TokenCounter,
        *,
        known: Mapping[str, KnownPage],
        progress: Progress,
    ) -> None:
        self._writer = writer
        self._options = options
        self._counter = counter
        self._known = known
        self._progress = progress
        self._statistics = TermStatistics()
        self._links: list[PageLinks] = []
        self.names: dict[str, PageNames] = {path: page.names for path, page in known.items()}
        self.issues: list[IssueRow] = []
        self.written: dict[str, str] = {}
        self.failed: list[str] = []

    async def remove(self, pages: Sequence[KnownPage]) -> None:
        """Removes pages that are gone, with all their rows."""
        await self._remove_rows([page.path for page in pages])
        for ids in _batches([page_id(page.path) for page in pages]):
            await self._writer.delete("links", in_predicate("page_id", ids))
        for page in pages:
            self.names.pop(page.path)

    async def write(self, files: Sequence[ScannedFile]) -> None:
        """Reads, parses and writes pages; one that fails keeps the rows it had."""
        self._progress.start("read", len(files))
        for batch in _batches_by_size(files):
            await self.put(await asyncio.to_thread(self._read, batch))
            self._progress.advance(len(batch))
        self._progress.finish()

    async def put(self, pages: Sequence[ParsedPage]) -> None:
        """Writes pages in place of the rows they had."""
        await self._remove_rows([page.page.path for page in pages if page.page.path in self._known])
        # A page of 20 MB has chunks for half a minute, in which the lease has to be renewed.
        chunks = await asyncio.to_thread(chunk_rows, pages)
        await self._writer.append("pages", page_rows(pages))
        await self._writer.append("chunks", chunks)
        self._statistics.add(chunks)
        for parsed in pages:
            self._remember(parsed)

    async def finish(self, *, assets: tuple[str, ...], assets_changed: bool) -> int:
        """Writes links and term statistics; returns by how many terms all chunks grew together."""
        self._progress.start("link", len(self._links))
        before = {path: page.names for path, page in self._known.items()}
        names = Names(before=before, after=self.names, assets=assets, assets_changed=assets_changed)
        await Linker(self._writer, names, self._links).link()
        await self._statistics.write(self._writer)
        self._progress.advance(len(self._links))
        self._progress.finish()
        return self._statistics.length

    def _read(self, files: Sequence[ScannedFile]) -> list[ParsedPage]:
        options = self._options
        pages: list[ParsedPage] = []
        for file in files:
            page = read_file(
                options.root,
                file,
                seen_ns=time.time_ns(),
                options=options.chunking,
                language=options.language,
                counter=self._counter,
            )
            if isinstance(page, PageFailure):
                self.failed.append(page.path)
                self.issues.append(issue_row("read", page.path, page.issue))
            else:
                pages.append(page)
        return pages

    def _remember(self, parsed: ParsedPage) -> None:
        page = parsed.page
        self.written[page.path] = parsed.source.page_sha256
        self.names[page.path] = PageNames(path=page.path, title=page.title, aliases=page.aliases)
        outline = outline_for_links(Outline(sections=page.sections, blocks=page.blocks))
        self._links.append(PageLinks(path=page.path, links=page.links, outline=outline))
        self.issues.extend(issue_row("page", page.path, issue) for issue in parsed.issues)

    async def _remove_rows(self, paths: Sequence[str]) -> None:
        for ids in _batches([page_id(path) for path in paths]):
            where = in_predicate("page_id", ids)
            self._statistics.remove(await self._writer.rows("chunks", columns=CHUNK_COLUMNS, where=where))
            for table in _PAGE_TABLES:
                if self._writer.has(table):
                    await self._writer.delete(table, where)


def _batches_by_size(files: Iterable[ScannedFile]) -> Iterator[Sequence[ScannedFile]]:
    batch: list[ScannedFile] = []
    size = 0
    for file in files:
        if batch and (len(batch) == _PAGES_A_BATCH or size + file.size > _BYTES_A_BATCH):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size
    if batch:
        yield batch


def _batches(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    return (items[start : start + _PAGES_A_BATCH] for start in range(0, len(items), _PAGES_A_BATCH))
