"""What the cited passages point to and the wiki does not hold."""

from retrieval.freshness import Checked
from retrieval.pack import Gap
from retrieval.predicates import in_predicate
from retrieval.store import Snapshot

_DANGLING = ("unresolved", "heading_unresolved", "block_unresolved")
MAX_GAPS = 20


async def find_gaps(snapshot: Snapshot, checked: Checked) -> tuple[Gap, ...]:
    """Returns the links inside the cited lines that lead nowhere, by rank, at most `MAX_GAPS`.

    Links that are no longer in a repaired passage are none of it.
    """
    if not checked.evidence:
        return ()
    paths = in_predicate("path", {excerpt.passage.best.path for excerpt in checked.excerpts})
    where = f"{paths} AND {in_predicate('status', _DANGLING)}"
    rows = (
        await snapshot.rows("links", columns=["path", "line", "position", "target"], where=where)
    ).to_pylist()
    rows.sort(key=lambda row: int(row["position"]))
    gaps = dict.fromkeys(
        Gap(kind="dangling-link", source=row["path"], target=row["target"])
        for excerpt, passage in zip(checked.excerpts, checked.evidence, strict=True)
        for row in rows
        if row["path"] == passage.citation.path
        and excerpt.span.line_start <= row["line"] <= excerpt.span.line_end
        and (passage.citation.freshness != "repaired" or row["target"] in passage.text)
    )
    return tuple(gaps)[:MAX_GAPS]
