"""A small wiki on disk with its index, for tests that run the real indexer and store."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

from fakes import FakeEmbedder

from chunking.options import ChunkingOptions
from indexer.live import LivePages
from indexer.options import IndexOptions, RunMode
from indexer.report import IndexReport
from indexer.run import Indexer
from indexer.scan import ScanOptions
from retrieval import schema
from retrieval.live import LiveWiki
from retrieval.models import Models
from retrieval.pack import EvidencePack
from retrieval.query_embedder import QueryEmbedder
from retrieval.reader import IndexReader
from retrieval.request import EvidenceRequest, Expand
from retrieval.retriever import Retriever
from retrieval.store import Retention, open_store

# When a page was read, and when its file was made, differ between two runs over the same text.
_CLOCK_COLUMNS = {"seen_ns", "mtime_ns", "modified"}


class Workbench:
    """A wiki in `folder/wiki` and its index in `folder/index`, with a fake embedder that counts."""

    def __init__(self, folder: Path, files: dict[str, str] | None = None, *, window: int = 64) -> None:
        self.root = folder / "wiki"
        self.uri = str(folder / "index")
        self.root.mkdir(parents=True, exist_ok=True)
        self.embedder = FakeEmbedder(window=window)
        self.retention = Retention(keep_generations=2, keep_for=0)
        for path, text in (files or {}).items():
            self.write(path, text)

    def write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())

    def delete(self, path: str) -> None:
        (self.root / path).unlink()

    def move(self, source: str, target: str) -> None:
        (self.root / target).parent.mkdir(parents=True, exist_ok=True)
        (self.root / source).rename(self.root / target)

    async def run(self, mode: RunMode = "incremental", **options: Any) -> IndexReport:
        self.embedder.forget()
        return await self.indexer(**options).run(mode)

    def indexer(self, **options: Any) -> Indexer:
        settings = {"root": self.root, "uri": self.uri, "retention": self.retention, **options}
        return Indexer(IndexOptions(**settings), embedder=self.embedder, counter=self.embedder.counter)

    @property
    def live(self) -> LiveWiki:
        """The files as they are now."""
        pages = LivePages(self.root, ScanOptions(), index_folder=self.uri)
        return LiveWiki(read=pages.read, dialect="obsidian")

    async def search(
        self, query: str, *, models: Models | None = None, live: LiveWiki | None = None, **request: Any
    ) -> EvidencePack:
        """Answers a query; models that are given keep what they know from one query to the next."""
        reader = IndexReader(self.uri)
        try:
            retriever = Retriever(
                reader,
                models=models or Models(embedder=QueryEmbedder(self.embedder)),
                counter=self.embedder.counter,
                url_base="/",
                live=live,
            )
            return await retriever.retrieve(EvidenceRequest(query=query, **request))
        finally:
            reader.close()

    async def found(self, query: str, **request: Any) -> set[str]:
        """Returns the paths of the pages that hold words of a query."""
        pack = await self.search(query, mode="lexical", expand=Expand(hops=0), **request)
        places = [place for passage in pack.evidence for place in (passage.citation, *passage.also_at)]
        return {place.path for place in places}

    async def rows(self) -> dict[str, list[str]]:
        """Returns every row of the newest generation as text, sorted, without the times of reading."""
        return await read_rows(self.uri)

    async def fresh_rows(self, *, token_vectors: bool = False) -> dict[str, list[str]]:
        """Returns the rows of a new index of the same folder."""
        uri = self.uri + "-fresh"
        shutil.rmtree(uri, ignore_errors=True)
        embedder = FakeEmbedder(window=self.embedder.counter.window)
        options = IndexOptions(
            root=self.root,
            uri=uri,
            chunking=ChunkingOptions(),
            retention=self.retention,
            token_vectors=token_vectors,
        )
        await Indexer(options, embedder=embedder, counter=embedder.counter).run()
        return await read_rows(uri)


async def read_rows(uri: str) -> dict[str, list[str]]:
    """Returns every row of the newest generation at `uri` as text, sorted, by table."""
    store = await open_store(uri)
    snapshot = await store.snapshot()
    tables: dict[str, list[str]] = {}
    for name in snapshot.generation.tables:
        columns = [column for column in await _columns(snapshot, name) if column not in _CLOCK_COLUMNS]
        rows = (await snapshot.rows(name, columns=columns)).to_pylist()
        tables[name] = sorted(json.dumps(row, sort_keys=True, default=bytes.hex) for row in rows)
    store.close()
    return tables


async def _columns(snapshot: Any, name: schema.TableName) -> list[str]:
    dimension = snapshot.generation.build.dimension
    return list(schema.schema_of(name, dimension).names)


def run_sync(bench: Workbench, mode: RunMode = "incremental") -> IndexReport:
    """Runs the indexer from code that is not asynchronous."""
    return asyncio.run(bench.run(mode))
