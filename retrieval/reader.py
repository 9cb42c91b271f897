"""Reading an index that comes, changes and may go while a service runs."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from retrieval.store import IndexMissing, Snapshot, SnapshotLost, Store, open_store

_Answer = TypeVar("_Answer")


class IndexReader:
    """The index at a URI, opened when it is first asked and again when it was replaced by another."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._store: Store | None = None
        self._opening = asyncio.Lock()

    async def read(
        self, use: Callable[[Snapshot], Awaitable[_Answer]], *, generation: int | None = None
    ) -> _Answer:
        """Answers from one pinned generation, the newest one without a number.

        If a cleanup takes the generation away meanwhile, `use` runs once more on the newest.

        Raises:
            IndexMissing: There is no index, or nothing was committed to it.
            GenerationMissing: The generation asked for is not kept.
            StoreError: The index cannot be read.
        """
        try:
            return await use(await self._pin(generation))
        except SnapshotLost:
            self._close()
        snapshot = await self._pin(generation)
        try:
            return await use(snapshot)
        except SnapshotLost as error:
            store = await self.store()
            raise await store.explain_loss(snapshot.generation.commit_id) from error

    async def store(self) -> Store:
        """Returns the opened index."""
        async with self._opening:
            if self._store is None:
                self._store = await open_store(self._uri)
            return self._store

    async def _pin(self, generation: int | None) -> Snapshot:
        try:
            return await (await self.store()).snapshot(generation)
        except SnapshotLost as error:
            # Head itself is gone: the folder was removed or made anew.
            self._close()
            if generation is None:
                return await (await self.store()).snapshot()
            raise IndexMissing("the index was removed; run `wikitrail index`") from error

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def close(self) -> None:
        """Lets go of the index; a later read opens it again."""
        self._close()
