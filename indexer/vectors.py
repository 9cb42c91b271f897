"""Filling the vector tables: every chunk and page of the index that has no vector yet gets one.

What is missing is read from the tables themselves, so a run that was killed, or an embedder that failed, is
made good by the next run, and the texts are derived from the stored pages once more.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from chunking import Page, parse_page
from chunking.options import ChunkingOptions
from indexer.embedding import BatchEmbedder, Outcome
from indexer.making import Embedded, TokenMaker, VectorAndTokenMaker, VectorMaker
from indexer.page_text import choose_page_text
from indexer.progress import Progress
from indexer.space import SpaceGuard
from retrieval import schema
from retrieval.embedding.port import Embedder, EmbeddingRole, embedding_key
from retrieval.embedding.token_embedder import TokenEmbedder
from retrieval.predicates import in_predicate
from retrieval.schema import TableName
from retrieval.store import Generation, Writer

VectorTable = Literal["page_vectors", "chunk_vectors", "token_vectors"]

_PAGES_A_ROUND = 64
_PAGE_COLUMNS = ("page_id", "path", "tags", "attrs", "modified", "text")

_Made = TypeVar("_Made", Embedded, bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedText:
    """A text that could not be embedded; `chunk_id` is None for the text of a whole page."""

    path: str
    line: int | None
    chunk_id: str | None
    reason: str


@dataclass(slots=True)
class Filling:
    """What became of the missing vectors of one table; `gave_up` is why the embedder was given up."""

    embedded: int = 0
    reused: int = 0
    failed: list[FailedText] = field(default_factory=list)
    gave_up: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """A row to be: its filter columns and id, the text to embed, as what, and where that stands."""

    row: Mapping[str, Any]
    role: EmbeddingRole
    key: str
    text: str
    line: int | None
    chunk_id: str | None


async def find_missing(writer: Writer, table: VectorTable) -> dict[str, set[str]]:
    """Returns the ids that have no vector, by the id of their page."""
    if table == "page_vectors":
        column = "page_id"
        wanted = await writer.rows("pages", columns=["page_id"], where="chunk_count > 0")
    else:
        column = "chunk_id"
        # A chunk whose text cannot be embedded has no tokens either.
        source: TableName = "chunks" if table == "chunk_vectors" else "chunk_vectors"
        wanted = await writer.rows(source, columns=["page_id", "chunk_id"])
    present = await writer.rows(table, columns=[column])
    lacking = wanted.filter(pc.invert(pc.is_in(wanted[column], present[column].combine_chunks())))
    missing: dict[str, set[str]] = {}
    for page, identity in zip(lacking["page_id"].to_pylist(), lacking[column].to_pylist(), strict=True):
        missing.setdefault(page, set()).add(identity)
    return missing


class VectorFiller:
    """Adds the missing rows of the vector tables; `after_round` is called between rounds, to commit.

    `before` is the generation that the run started from.
    """

    def __init__(
        self,
        writer: Writer,
        embedder: Embedder,
        guard: SpaceGuard,
        options: ChunkingOptions,
        *,
        before: Generation | None,
        progress: Progress,
        after_round: Callable[[], Awaitable[None]],
    ) -> None:
        self._writer = writer
        self._embedder = embedder
        self._options = options
        self._before = before
        self._progress = progress
        self._after_round = after_round
        self._guard = guard
        self._made: set[str] = set()

    async def fill(self, *, with_tokens: bool) -> dict[VectorTable, Filling]:
        """Embeds what the tables lack, one after the other, page by page in the order of ids.

        The table of tokens comes last, and not at all where the embedder was given up.

        Raises:
            SpaceChanged: The embedder is of another space than the tables.
        """
        cache = await self._writer.caches.embeddings(self._guard.space)
        if not (with_tokens and isinstance(self._embedder, TokenEmbedder)):
            return await self._fill_vectors(VectorMaker(self._embedder, cache))
        codes = await self._writer.caches.token_codes()
        fillings = await self._fill_vectors(VectorAndTokenMaker(self._embedder, cache, codes))
        if fillings["chunk_vectors"].gave_up is None:
            maker = TokenMaker(self._embedder, codes, self._writer, before=self._before)
            fillings["token_vectors"] = await self._fill_table(
                "token_vectors", BatchEmbedder(maker, self._guard)
            )
        return fillings

    async def _fill_vectors(self, maker: VectorMaker) -> dict[VectorTable, Filling]:
        embedder = BatchEmbedder(maker, self._guard)
        fillings: dict[VectorTable, Filling] = {
            "page_vectors": await self._fill_table("page_vectors", embedder),
            "chunk_vectors": await self._fill_table("chunk_vectors", embedder),
        }
        await maker.tidy()
        return fillings

    async def _fill_table(self, table: VectorTable, embedder: BatchEmbedder[_Made]) -> Filling:
        filling = Filling()
        missing = await find_missing(self._writer, table)
        self._progress.start("embed", sum(len(ids) for ids in missing.values()))
        async for items in self._rounds(table, missing):
            await self._fill_round(table, items, embedder, filling)
            await self._after_round()
            self._progress.advance(len(items))
        self._progress.finish()
        filling.gave_up = embedder.gave_up
        return filling

    async def _fill_round(
        self, table: VectorTable, items: Sequence[_Item], embedder: BatchEmbedder[_Made], filling: Filling
    ) -> None:
        outcome = Outcome[_Made]()
        for role in sorted({item.role for item in items}):
            texts = {item.key: item.text for item in items if item.role == role}
            await embedder.embed(texts, role, outcome)
        self._made |= outcome.made
        done = [item for item in items if item.key in outcome.vectors]
        await self._writer.append(table, self._to_table(table, done, outcome.vectors))
        made = len({item.key for item in done} & self._made)
        filling.embedded += made
        filling.reused += len(done) - made
        if table == "token_vectors":
            return  # such a text has its vector, so the index lacks nothing that a page could be blamed for
        filling.failed.extend(
            FailedText(
                path=item.row["path"],
                line=item.line,
                chunk_id=item.chunk_id,
                reason=outcome.failures[item.key],
            )
            for item in items
            if item.key in outcome.failures
        )

    async def _rounds(
        self, table: VectorTable, missing: Mapping[str, set[str]]
    ) -> AsyncIterator[Sequence[_Item]]:
        pages = sorted(missing)
        for start in range(0, len(pages), _PAGES_A_ROUND):
            where = in_predicate("page_id", pages[start : start + _PAGES_A_ROUND])
            rows = await self._writer.rows("pages", columns=_PAGE_COLUMNS, where=where)
            ordered = sorted(rows.to_pylist(), key=lambda row: str(row["path"]))
            yield await asyncio.to_thread(self._derive_items, table, ordered, missing)

    def _derive_items(
        self, table: VectorTable, rows: Sequence[dict[str, Any]], missing: Mapping[str, set[str]]
    ) -> list[_Item]:
        return [item for row in rows for item in self._items(table, row, missing[row["page_id"]])]

    def _items(self, table: VectorTable, row: dict[str, Any], wanted: set[str]) -> Iterator[_Item]:
        text = row.pop("text")
        page = parse_page(row["path"], text, options=self._options, counter=self._embedder.counter)
        if table == "page_vectors":
            yield self._page_item(page, row)
            return
        for chunk in page.chunks:
            if chunk.chunk_id in wanted:
                yield self._item(
                    {**row, "chunk_id": chunk.chunk_id},
                    "chunk",
                    chunk.embedded_text,
                    line=chunk.span.line_start,
                    chunk_id=chunk.chunk_id,
                )

    def _page_item(self, page: Page, row: dict[str, Any]) -> _Item:
        role, text = choose_page_text(page, self._embedder.counter)
        return self._item(row, role, text)

    def _item(
        self,
        row: Mapping[str, Any],
        role: EmbeddingRole,
        text: str,
        *,
        line: int | None = None,
        chunk_id: str | None = None,
    ) -> _Item:
        key = embedding_key(self._guard.space.id, role, text)
        return _Item(row=row, role=role, key=key, text=text, line=line, chunk_id=chunk_id)

    def _to_table(self, table: VectorTable, items: Sequence[_Item], made: Mapping[str, _Made]) -> pa.Table:
        target = schema.schema_of(table, self._embedder.space.dimension)
        rows = [{**item.row, "embedding_key": item.key, **_to_cell(made[item.key])} for item in items]
        return pa.Table.from_pylist(rows, schema=target)


def _to_cell(made: Embedded | bytes) -> dict[str, Any]:
    if isinstance(made, bytes):
        return {"code": made}
    return {"vector": made.vector.astype(np.float32)}
