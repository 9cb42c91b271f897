"""A run: from a folder of Markdown to the next generation of its index.

    scan ─> compare ─> read, parse, write ─> link ─> embed ─> commit

Nothing is written, and no lease taken, before it is clear that something may be different.
"""

import asyncio
import time

from chunking.options import CHUNKER_VERSION, TokenCounter
from indexer.bounds import EVERYTHING, Bounds
from indexer.errors import IndexMoved
from indexer.execution import Execution
from indexer.options import IndexOptions, RunMode
from indexer.preview import preview_run
from indexer.progress import Progress, Silence
from indexer.report import IndexReport, RunPreview
from indexer.reporting import report_unchanged
from indexer.root import check_root
from indexer.survey import survey_wiki
from retrieval import schema
from retrieval.analyzer import ANALYZER_VERSION
from retrieval.embedding.port import Embedder, space_id
from retrieval.embedding.token_embedder import TokenEmbedder
from retrieval.refinement.signs import CODE
from retrieval.stopwatch import Stopwatch
from retrieval.store import (
    Build,
    Clock,
    IndexMissing,
    SnapshotLost,
    Store,
    open_store,
    open_writer,
    using_store,
)

_TRIES = 3


class Indexer:
    """Brings the index of one wiki up to date. Without an embedder the index has no vectors.

    `counter` measures chunks; it is the embedder's own where there is one.
    """

    def __init__(
        self,
        options: IndexOptions,
        *,
        embedder: Embedder | None,
        counter: TokenCounter,
        clock: Clock = time.time,
        progress: Progress | None = None,
    ) -> None:
        self._options = options
        self._embedder = embedder
        self._counter = counter
        self._clock = clock
        self._progress = progress or Silence()

    @property
    def build(self) -> Build:
        """What the tables of a run are made with."""
        chunking = self._options.chunking
        space = self._embedder.space if self._embedder else None
        return Build(
            schema=schema.SCHEMA_VERSION,
            chunker=CHUNKER_VERSION,
            analyzer=ANALYZER_VERSION,
            dialect=chunking.dialect,
            language=self._options.language,
            max_tokens=min(chunking.max_tokens or self._counter.window, self._counter.window),
            tokenizer=self._counter.name,
            space=space_id(space) if space else None,
            dimension=space.dimension if space else None,
            model=space.model if space else None,
            tokens=CODE if self._keeps_tokens else None,
        )

    @property
    def _keeps_tokens(self) -> bool:
        return self._options.token_vectors and isinstance(self._embedder, TokenEmbedder)

    async def run(self, mode: RunMode = "incremental", *, bounds: Bounds = EVERYTHING) -> IndexReport:
        """Makes the index say what the folder says; pages outside of `bounds` stay as the index has them.

        Vectors that an earlier run left out are made whatever the bounds.

        Raises:
            IndexRunError: The folder cannot be used; nothing was changed.
            StoreError: The index cannot be written, or another run writes it.
        """
        # Before the index is made: its place may be inside the wiki, and would bring a missing folder about.
        await asyncio.to_thread(check_root, self._options.root)
        renew = mode == "full"
        async with using_store(self._options.uri, create=True, renew=renew) as store:
            for _ in range(_TRIES):
                report = await self._try(store, mode, bounds)
                if report is not None:
                    return report
        raise IndexMoved("other runs keep changing this index; let them end and run again")

    async def preview(self, mode: RunMode = "incremental", *, bounds: Bounds = EVERYTHING) -> RunPreview:
        """Tells what `run` would do now; nothing is written, and no lease is taken.

        Raises:
            IndexRunError: The folder cannot be used.
            StoreError: The index cannot be read.
        """
        watch = Stopwatch()
        store = await _open_existing(self._options.uri)
        try:
            with watch.measure("scan"):
                survey = await survey_wiki(store, self._options, self.build, mode, bounds)
            return await preview_run(
                store,
                survey,
                self._options,
                build=self.build,
                counter=self._counter,
                progress=self._progress,
                watch=watch,
            )
        finally:
            if store is not None:
                store.close()

    async def _try(self, store: Store, mode: RunMode, bounds: Bounds) -> IndexReport | None:
        """Returns None if another run has committed since this one looked."""
        watch = Stopwatch()
        try:
            with watch.measure("scan"):
                survey = await survey_wiki(store, self._options, self.build, mode, bounds)
        except SnapshotLost:
            return None
        if survey.is_up_to_date(self.build):
            return await report_unchanged(store, survey, watch)
        options = self._options
        async with open_writer(
            store,
            retention=options.retention,
            clock=self._clock,
            lease_seconds=options.lease_seconds,
        ) as writer:
            if writer.base != survey.base:
                return None
            execution = Execution(
                writer,
                survey,
                options,
                build=self.build,
                embedder=self._embedder,
                counter=self._counter,
                clock=self._clock,
                progress=self._progress,
                watch=watch,
            )
            return await execution.run()


async def _open_existing(uri: str) -> Store | None:
    try:
        return await open_store(uri)
    except IndexMissing:
        return None
