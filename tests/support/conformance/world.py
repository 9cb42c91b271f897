"""What a case runs in: its folder, the product over it, and what has happened so far."""

import time
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from conformance.case import Case, CaseFailure
from conformance.embedder import CaseEmbedder
from conformance.inputs import write_inputs
from conformance.processes import ServerProcess
from conformance.product import Product
from conformance.service import LocalService, RemoteService

from indexer.options import RunMode
from indexer.report import IndexReport

STRESS_STEP = "stress"

# Replaced generations go so soon that cleanup happens within the seconds of a stress, and yet stay longer
# than any search lasts.
_SOON = {"keep_generations": 1, "keep_for": 2.0}


class World:
    """One run of a case. `close` puts everything back."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case = case
        self.folder = folder
        self.root = folder / "root"
        self.undo = ExitStack()
        self.embedder = CaseEmbedder()
        self.minutes_ahead = 0.0
        stressed = any(step["do"] == STRESS_STEP for step in case.steps)
        self.index_settings = _SOON if stressed else {}
        write_inputs(case.input_files, root=self.root, outside=folder / "outside")
        self.product = self._make_product()
        self._report: IndexReport | None = None
        self._second: ServerProcess | None = None
        self.run_seconds = 0.0
        self.files_before: dict[str, int] = {}
        self.background: Future[Any] | None = None
        self.outcomes: list[Any] = []

    @property
    def report(self) -> IndexReport:
        """The report of the last run."""
        if self._report is None:
            raise CaseFailure("no run has made a report")
        return self._report

    @property
    def service(self) -> LocalService:
        """The service of this process."""
        return self.product.service

    def index(
        self,
        mode: RunMode = "incremental",
        *,
        allow_empty: bool = False,
        include: tuple[str, ...] = (),
    ) -> IndexReport:
        """Runs the indexer; what is counted for a run is counted from here."""
        self.embedder.forget()
        begun = time.perf_counter()
        self._report = self.product.index(mode, allow_empty=allow_empty, include=include)
        self.run_seconds = time.perf_counter() - begun
        return self._report

    def restart(self, embedder: CaseEmbedder | None = None) -> None:
        """Ends the process and starts it again, with another embedder if one is given."""
        self.product.close()
        if embedder is not None:
            self.embedder.release()
            self.embedder = embedder
        self.product = self._make_product()

    def process(self, number: int) -> LocalService | RemoteService:
        """Returns the service of this process (1) or of the second one (2)."""
        return self.service if number == 1 else self.second_process().service

    def second_process(self) -> ServerProcess:
        """Returns the second process, started when it is first asked for."""
        if self._second is None:
            self._second = ServerProcess(self.product)
            self.undo.callback(self._second.close)
        return self._second

    def fresh(self, name: str = "fresh") -> Product:
        """Returns a new index of the same folder, made from nothing by a healthy embedder."""
        space = self.embedder.space
        embedder = CaseEmbedder(model=space.model, dimension=space.dimension)
        product = Product(self.root, index=self.folder / name, embedder=embedder)
        product.index(allow_empty=True)
        return product

    def now(self) -> float:
        """The time as the product sees it."""
        return time.time() + 60 * self.minutes_ahead

    def close(self) -> None:
        """Stops everything and undoes what was changed outside of the folder."""
        self.embedder.release()
        self.product.close()
        self.undo.close()

    def _make_product(self) -> Product:
        return Product(self.root, embedder=self.embedder, clock=self.now, index_settings=self.index_settings)
