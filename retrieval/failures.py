"""Pages that an index does not hold as they are on disk, or not with all their vectors."""

from retrieval.predicates import in_predicate, path_scope
from retrieval.schema import WHOLE_WIKI
from retrieval.store import Snapshot

_STAGES = ("read", "embed")


async def count_failed_pages(snapshot: Snapshot, path_prefix: str) -> int:
    """Returns how many pages below `path_prefix` could not be read or embedded in full.

    A page that was never read has nothing that filters could be held against: these narrow nothing here.
    """
    if snapshot.generation.counts.issues == 0:
        return 0
    # A model that gave up is an issue of the whole wiki; what it left out is pending, not failed.
    where = f"{in_predicate('stage', _STAGES)} AND path != '{WHOLE_WIKI}'"
    if (scope := path_scope(path_prefix)) is not None:
        where += f" AND {scope}"
    rows = await snapshot.rows("issues", columns=["path"], where=where)
    return len(set(rows["path"].to_pylist()))
