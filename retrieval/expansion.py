"""Adding the graph's signal to a ranking: a boost for linked hits, and linked pages that no lane found."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.candidate import Candidate, sort_candidates
from retrieval.dense import read_candidates
from retrieval.fusion import Fusion
from retrieval.graph import GRAPH_WEIGHT, SEED_PAGES, Neighbourhood, explore
from retrieval.request import Expand
from retrieval.rerank import Reranker

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
    seeds = _best_by_page(ranked, SEED_PAGES)
    around = await explore(reranker.snapshot, seeds, hops=expand.hops, where=where)
    boosted = [_boost(candidate, around) for candidate in ranked]
    added = await _find_linked(reranker, boosted, around, fusion, limit=expand.limit)
    return Expanded(
        candidates=sort_candidates((*boosted, *added)),
        explored=bool(around.mass),
        truncated=around.truncated,
    )


async def _find_linked(
    reranker: Reranker, ranked: Sequence[Candidate], around: Neighbourhood, fusion: Fusion, *, limit: int
) -> list[Candidate]:
    """Returns the best chunk of each page that only links led to, for the pages with the largest mass."""
    scores = _best_by_page(ranked, len(ranked))
    pages = [page for page in around.reached() if page not in scores][:limit]
    if not pages:
        return []
    found = await reranker.measure(await read_candidates(reranker.snapshot, "path", pages))
    ranked_found = sort_candidates(_boost(fusion.apply(candidate), around) for candidate in found)
    best: dict[str, Candidate] = {}
    for candidate in sorted(ranked_found, key=lambda candidate: candidate.heading_only):
        best.setdefault(candidate.path, candidate)
    return _keep_below(best, scores, around)


def _keep_below(
    best: Mapping[str, Candidate], scores: Mapping[str, float], around: Neighbourhood
) -> list[Candidate]:
    """Returns the candidates of linked pages, each with a lower score than the page that it came by.

    `scores` are those of the pages found directly. A page on the way that is no candidate itself passes on
    how high it could have been.
    """
    highest = dict(scores)
    added = []
    for page, origins in around.origins.items():
        if page in scores:
            continue
        highest[page] = _BELOW_ITS_HIT * max(highest[origin] for origin in origins)
        if page in best:
            highest[page] = min(best[page].score, highest[page])
            via = around.via[page]
            added.append(replace(best[page], score=highest[page], origin="expanded", via=via))
    return added


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
