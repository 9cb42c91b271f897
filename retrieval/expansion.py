"""Adding the graph's signal to a ranking: a boost for linked hits, and linked pages that no lane found."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from retrieval.candidate import Candidate, sort_candidates
from retrieval.dense import read_candidates
from retrieval.fusion import Fusion
from retrieval.graph import GRAPH_WEIGHT, SEED_PAGES, Neighbourhood, explore
from retrieval.predicates import in_predicate
from retrieval.request import Expand
from retrieval.rerank import Reranker
from retrieval.store import Snapshot

# An expanded passage stays this much below the hit whose link led to it.
_BELOW_ITS_HIT = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Expanded:
    """A ranking with the graph's signal; `explored` says that any links were there."""

    candidates: list[Candidate]
    explored: bool
    truncated: bool


async def expand_ranking(
    reranker: Reranker, ranked: Sequence[Candidate], fusion: Fusion, *, expand: Expand, where: str | None
) -> Expanded:
    """Returns the ranking with links taken into account, expanded passages at most `expand.limit`.

    Every passage that was found directly stays; one that was not has a lower score than the hit it came by.
    """
    around = await explore(reranker.snapshot, _best_by_page(ranked, SEED_PAGES), hops=expand.hops)
    boosted = [_boost(candidate, around) for candidate in ranked]
    added = await _find_linked(reranker, boosted, around, fusion, limit=expand.limit, where=where)
    return Expanded(
        candidates=sort_candidates((*boosted, *added)),
        explored=bool(around.mass),
        truncated=around.truncated,
    )


async def _find_linked(
    reranker: Reranker,
    ranked: Sequence[Candidate],
    around: Neighbourhood,
    fusion: Fusion,
    *,
    limit: int,
    where: str | None,
) -> list[Candidate]:
    """Returns the best chunk of each page that only links led to, for the pages with the largest mass."""
    scores = _best_by_page(ranked, len(ranked))
    linked = [page for page in around.reached() if page not in scores]
    pages = (await _keep_in_scope(reranker.snapshot, linked, where))[:limit]
    if not pages:
        return []
    found = await reranker.measure(await read_candidates(reranker.snapshot, "path", pages))
    ranked_found = sort_candidates(_boost(fusion.apply(candidate), around) for candidate in found)
    best: dict[str, Candidate] = {}
    for candidate in sorted(ranked_found, key=lambda candidate: candidate.heading_only):
        best.setdefault(candidate.path, candidate)
    added = []
    for page in (page for page in pages if page in best):
        hit = max((scores[origin] for origin in around.origins[page] if origin in scores), default=0.0)
        scores[page] = min(best[page].score, _BELOW_ITS_HIT * hit)
        added.append(replace(best[page], score=scores[page], origin="expanded", via=around.via[page]))
    return [candidate for candidate in added if candidate.score > 0]


async def _keep_in_scope(snapshot: Snapshot, paths: Sequence[str], where: str | None) -> list[str]:
    """Returns the paths of pages in scope, in their order: others must not use up what may be added."""
    if where is None or not paths:
        return list(paths)
    scope = f"{in_predicate('path', paths)} AND {where}"
    rows = await snapshot.rows("pages", columns=["path"], where=scope)
    inside = set(rows["path"].to_pylist())
    return [path for path in paths if path in inside]


def _boost(candidate: Candidate, around: Neighbourhood) -> Candidate:
    mass = around.mass.get(candidate.path)
    if mass is None:
        return candidate
    score = candidate.score + GRAPH_WEIGHT * mass
    return replace(candidate, score=score, scores=replace(candidate.scores, graph=mass))


def _best_by_page(ranked: Iterable[Candidate], limit: int) -> dict[str, float]:
    """Returns the score of each page's best candidate, for the first `limit` pages of a ranking."""
    best: dict[str, float] = {}
    for candidate in ranked:
        if candidate.path not in best and len(best) < limit:
            best[candidate.path] = candidate.score
    return best
