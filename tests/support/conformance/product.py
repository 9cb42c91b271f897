"""The product as a case sees it: one wiki, its index, and the service over both."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from conformance.embedder import CaseEmbedder
from conformance.service import ADMIN_TOKEN, LocalService
from runs import run_command

from indexer.options import RunMode
from indexer.report import IndexReport
from retrieval.reader import IndexReader
from retrieval.schema import TableName, schema_of
from retrieval.store import Clock, Generation, Snapshot
from service.sections import INDEX_FOLDER
from service.settings import Settings
from service.wiring import Application

Rows = list[dict[str, Any]]
_Answer = TypeVar("_Answer")


class Product:
    """The product's own composition root over a folder; the index lies where it lies by default.

    `index_settings` are those of the section `index`; `include` narrows the pages of one process or run.
    """

    def __init__(
        self,
        root: Path,
        *,
        embedder: CaseEmbedder,
        index: Path | None = None,
        clock: Clock = time.time,
        index_settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.root = root
        self.index_folder = index or root / INDEX_FOLDER
        self.embedder = embedder
        self._clock = clock
        self._index_settings = dict(index_settings or {})
        self._service: LocalService | None = None

    def application(self, *, include: tuple[str, ...] = ()) -> Application:
        """Returns the parts of a process of its own."""
        settings = Settings(
            wikis={
                "default": {"root": self.root, "index": str(self.index_folder), "include": include},
            },
            index=self._index_settings,
            admin_token=ADMIN_TOKEN,
        )
        return Application(settings, embedder=self.embedder, clock=self._clock)

    @property
    def service(self) -> LocalService:
        """The running service, started when it is first asked."""
        if self._service is None:
            self._service = LocalService(
                self.application(),
                run_command=run_command(self.embedder),
                secrets=(str(self.root), str(self.index_folder), ADMIN_TOKEN),
            )
        return self._service

    def close(self) -> None:
        """Stops the service; the next use starts another."""
        if self._service is not None:
            self._service.close()
            self._service = None

    def index(
        self,
        mode: RunMode = "incremental",
        *,
        allow_empty: bool = False,
        include: tuple[str, ...] = (),
    ) -> IndexReport:
        """Runs the indexer once."""
        application = self.application(include=include)
        return asyncio.run(application.indexer(allow_empty=allow_empty).run(mode))

    def generation(self) -> Generation:
        """Returns the newest generation."""

        async def look(snapshot: Snapshot) -> Generation:
            return snapshot.generation

        return self._read(look)

    def rows(self, table: TableName) -> Rows:
        """Returns all columns of all rows of a table of the newest generation."""

        async def read(snapshot: Snapshot) -> Rows:
            if not snapshot.has(table):
                return []
            return list((await snapshot.rows(table, columns=_columns(snapshot, table))).to_pylist())

        return self._read(read)

    def index_files(self) -> dict[str, int]:
        """Returns the size of each file of the index, by its path in the index's folder."""
        found: dict[str, int] = {}
        for folder, _, names in os.walk(self.index_folder):
            for name in names:
                path = os.path.join(folder, name)
                found[os.path.relpath(path, self.index_folder)] = os.path.getsize(path)
        return found

    def _read(self, use: Callable[[Snapshot], Awaitable[_Answer]]) -> _Answer:
        async def read() -> _Answer:
            reader = IndexReader(str(self.index_folder))
            try:
                return await reader.read(use)
            finally:
                reader.close()

        return asyncio.run(read())


def _columns(snapshot: Snapshot, table: TableName) -> list[str]:
    return list(schema_of(table, snapshot.generation.build.dimension).names)
