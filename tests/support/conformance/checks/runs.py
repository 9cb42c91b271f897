"""What an index run did, and what the service says of it."""

from collections.abc import Sequence

from conformance.case import demand
from conformance.instructions import CHECKS
from conformance.world import World


@CHECKS.add("embed_calls")
def check_embed_calls(world: World, *, eq: int | None = None, max: int | None = None) -> None:
    """So many texts of chunks were embedded since the last run began.

    The texts of page vectors are not counted: the cases speak of one vector a chunk and of no others.
    """
    count = world.embedder.count("chunk")
    demand(eq is None or count == eq, f"{count} chunks were embedded, expected {eq}")
    demand(max is None or count <= max, f"{count} chunks were embedded, at most {max}")


@CHECKS.add("max_embed_tokens")
def check_max_embed_tokens(world: World) -> None:
    """No text that was embedded is longer than the model reads."""
    counter = world.embedder.counter
    longest = max(counter.count([text for _, text in world.embedder.embedded]), default=0)
    demand(
        longest <= counter.window, f"a text of {longest} tokens was embedded; the window is {counter.window}"
    )


@CHECKS.add("time")
def check_time(world: World, *, max_s: float) -> None:
    """The last run took at most so long."""
    demand(world.run_seconds <= max_s, f"the run took {world.run_seconds:.1f} s, at most {max_s}")


@CHECKS.add("report")
def check_report(
    world: World,
    *,
    mentions: Sequence[str] = (),
    skipped: Sequence[str] = (),
    warnings_for: Sequence[str] = (),
    failed_count_min: int = 0,
) -> None:
    """The report has an issue for each of these paths, and so many pages that failed."""
    named = {issue.path for issue in world.report.issues}
    for path in (*mentions, *skipped, *warnings_for):
        demand(path in named, f"the report does not name {path!r}: {sorted(named)}")
    failed = world.report.pages.failed
    demand(failed >= failed_count_min, f"{failed} pages failed, at least {failed_count_min} expected")


@CHECKS.add("status")
def check_status(world: World, *, pending: int, failed: Sequence[str]) -> None:
    """The service says how many chunks wait for their vector, and which pages failed."""
    state = world.service.state()
    found = (state["counts"]["pending"], state["failed_pages"])
    demand(found == (pending, list(failed)), f"pending and failed are {found}")


@CHECKS.add("model_id")
def check_model_id(world: World, *, equals: str) -> None:
    """The service says which model the index was made with."""
    model = world.service.state()["build"]["model"]
    demand(model == equals, f"the model is {model!r}, expected {equals!r}")


@CHECKS.add("count")
def check_count(
    world: World, *, chunks: int | None = None, pages: int | None = None, pages_min: int = 0
) -> None:
    """The index holds so many chunks and pages, and the service says the same."""
    found = {table: len(world.product.rows(table)) for table in ("pages", "chunks")}
    said = world.service.state()["counts"]
    demand(all(said[table] == number for table, number in found.items()), f"{found} rows, but {said}")
    demand(chunks is None or found["chunks"] == chunks, f"{found['chunks']} chunks, expected {chunks}")
    demand(pages is None or found["pages"] == pages, f"{found['pages']} pages, expected {pages}")
    demand(found["pages"] >= pages_min, f"{found['pages']} pages, at least {pages_min} expected")


@CHECKS.add("page")
def check_page(world: World, *, path: str, chunks: int) -> None:
    """The page is there and has so many chunks."""
    rows = [row for row in world.product.rows("pages") if row["path"] == path]
    demand(len(rows) == 1, f"{path!r} stands {len(rows)} times in the index")
    found = sum(row["path"] == path for row in world.product.rows("chunks"))
    demand(found == chunks == rows[0]["chunk_count"], f"{path!r} has {found} chunks, expected {chunks}")
