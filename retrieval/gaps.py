"""What the cited passages point to and the wiki does not hold."""

from collections.abc import Sequence

from retrieval.pack import Evidence, Gap
from retrieval.predicates import in_predicate
from retrieval.store import Snapshot

_DANGLING = ("unresolved", "heading_unresolved", "block_unresolved")
MAX_GAPS = 20


async def find_gaps(snapshot: Snapshot, evidence: Sequence[Evidence]) -> tuple[Gap, ...]:
    """Returns the links inside the cited lines that lead nowhere, by rank, at most `MAX_GAPS`."""
    if not evidence:
        return ()
    paths = in_predicate("path", {passage.citation.path for passage in evidence})
    where = f"{paths} AND {in_predicate('status', _DANGLING)}"
    rows = (
        await snapshot.rows("links", columns=["path", "line", "position", "target"], where=where)
    ).to_pylist()
    rows.sort(key=lambda row: int(row["position"]))
    gaps = dict.fromkeys(
        Gap(kind="dangling-link", source=row["path"], target=row["target"])
        for passage in evidence
        for row in rows
        if row["path"] == passage.citation.path
        and passage.citation.line_start <= row["line"] <= passage.citation.line_end
    )
    return tuple(gaps)[:MAX_GAPS]
