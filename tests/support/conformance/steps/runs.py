"""Running the indexer."""

from collections.abc import Sequence

from conformance.case import Instruction, UnknownInstruction, demand
from conformance.embedder import make_embedder
from conformance.instructions import CHECKS, STEPS
from conformance.world import World

_STATUSES = {None: {"ok", "partial"}, "any": {"ok", "partial"}, "partial": {"partial"}, "ok": {"ok"}}


@STEPS.add("index")
def index(world: World, *, expect: str | None = None, allow_empty: bool = False, process: int = 1) -> None:
    """Runs the indexer once; a run that cannot go on fails the case, whatever is expected."""
    if process != 1 or expect not in _STATUSES:
        raise UnknownInstruction(f"unknown kind of run: process {process}, expect {expect!r}")
    report = world.index(allow_empty=allow_empty)
    demand(report.status in _STATUSES[expect], f"the run is {report.status!r}, expected {expect!r}")


@STEPS.add("check")
def check(world: World, *, checks: Sequence[Instruction]) -> None:
    """Runs checks."""
    for instruction in checks:
        CHECKS.run(world, instruction)


@STEPS.add("index_only")
def index_only(world: World, *, paths: Sequence[str]) -> None:
    """Indexes only these pages, as a wiki whose settings include no others."""
    world.index(include=tuple(paths))


@STEPS.add("index_background")
def index_background(world: World) -> None:
    """Starts a run on the event loop of the service, the place where it could do most harm."""
    world.background = world.service.start_run()


@STEPS.add("optimize")
def optimize(world: World) -> None:
    """Rebuilds all tables.

    The product has no command to compact an index, since every commit does what is due. A full run is the
    most that can be asked of it: all tables are replaced, compacted, indexed, and the old ones cleaned up.
    """
    world.index("full")


@STEPS.add("remember_version")
def remember_version(world: World) -> None:
    """Remembers the files of the index."""
    world.files_before = world.product.index_files()


@STEPS.add("restart")
def restart(world: World, *, embedder: str | None = None) -> None:
    """Starts the process again, with another embedder if one is named."""

    world.restart(None if embedder is None else make_embedder(embedder))
