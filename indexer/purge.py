"""Removing what was deleted from the files of an index, for good.

A run only marks deleted rows, and generations before it still hold them. A purge copies what lives into fresh
tables and keeps nothing else. It takes away what queries that began before it still read: they start again.
"""

import time
from dataclasses import asdict, dataclass
from typing import Any

from retrieval.embedding.space import StoredSpace
from retrieval.schema import TableName
from retrieval.store import Clock, IndexMissing, Retention, Writer, open_writer, using_store

# What the cache of vectors by key is kept for.
_VECTOR_TABLES: tuple[TableName, ...] = ("chunk_vectors", "page_vectors")
_NEWEST_ONLY = Retention(keep_generations=1, keep_for=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeReport:
    """What a purge did: the `generation` it made, and how many `generations` and `vectors` it forgot.

    Vectors are those of the index's own space; those of others go uncounted.
    """

    generation: int
    generations: int
    vectors: int


def to_dict(report: PurgeReport) -> dict[str, Any]:
    """Returns the report as JSON values."""
    return asdict(report)


async def purge_index(uri: str, *, clock: Clock = time.time) -> PurgeReport:
    """Makes a generation of the live rows alone and forgets all others; the content stays the same.

    Raises:
        IndexMissing: There is no index, or nothing was committed to it.
        IndexBusy: A run writes the index.
    """
    async with (
        using_store(uri) as store,
        open_writer(store, retention=_NEWEST_ONLY, clock=clock) as writer,
    ):
        base = writer.base
        if base is None:
            raise IndexMissing("the index holds no generation yet; run `wikitrail index`")
        before = await store.generations()
        for table in base.tables:
            await writer.renew_table(table)
        newest = await writer.commit(
            build=base.build, space=base.space, counts=base.counts, assets=base.assets, mounts=base.mounts
        )
        await writer.forget_history()
        await writer.caches.drop_token_codes()
        vectors = await _purge_vectors(writer, base.space)
    return PurgeReport(generation=newest.number, generations=len(before), vectors=vectors)


async def _purge_vectors(writer: Writer, space: StoredSpace | None) -> int:
    live: set[str] = set()
    for table in _VECTOR_TABLES:
        if writer.has(table):
            live.update((await writer.rows(table, columns=["embedding_key"]))["embedding_key"].to_pylist())
    await writer.caches.drop_embeddings(but=space.id if space else None)
    if space is None:
        return 0
    return await (await writer.caches.embeddings(space)).keep_only(live)
