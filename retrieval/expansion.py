"""Adding the graph's signal to a ranking: a boost for linked hits, and linked pages without a hit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.candidate import Candidate, sort_candidates
from retrieval.dense import read_candidates
from retrieval.fusion import Fusion
from retrieval.graph import SEED_PAGES, Neighbourhood, explore
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
    reranker: Reranker,
    ranked: Sequence[Candidate],
    fusion: Fusion,
    *,
    least: float,
    expand: Expand,
    where: str | None,
) -> Expanded:
    """Returns the ranking with links taken into account, at most `expand.limit` pages for their links alone.

    Hits are the candidates with a score of `least` or more; links are followed from them. A page without a
    hit that a link leads to comes in with its best passage, told to be expanded, with a lower score than the
    hit it came by. Every hit stays.
    """
    hits = [candidate for candidate in ranked if candidate.score >= least]
    seeds = _best_by_page(hits, SEED_PAGES)
    around = await explore(reranker.snapshot, seeds, hops=expand.hops, where=where)
    boosted = [_boost(candidate, around, fusion.weights.links) for candidate in ranked]
    own = _best_by_page(boosted[: len(hits)], len(hits))
    added = await _find_linked(reranker, own, around, fusion, limit=expand.limit)
    expanded = {candidate.chunk_id for candidate in added}
    rest = (candidate for candidate in boosted if candidate.chunk_id not in expanded)
    return Expanded(
        candidates=sort_candidates((*rest, *added)),
        explored=bool(around.mass),
        truncated=around.truncated,
    )


async def _find_linked(
    reranker: Reranker, hits: Mapping[str, float], around: Neighbourhood, fusion: Fusion, *, limit: int
) -> list[Candidate]:
    """Returns the best chunk of each page that links lead to and has no hit, for the largest masses."""
    pages = [page for page in around.reached() if page not in hits][:limit]
    if not pages:
        return []
    found = await reranker.measure(await read_candidates(reranker.snapshot, "path", pages))
    ranked = sort_candidates(
        _boost(fusion.apply(candidate), around, fusion.weights.links) for candidate in found
    )
    best: dict[str, Candidate] = {}
    for candidate in sorted(ranked, key=lambda candidate: candidate.heading_only):
        best.setdefault(candidate.path, candidate)
    return _keep_below(best, hits, around)


def _keep_below(
    best: Mapping[str, Candidate], hits: Mapping[str, float], around: Neighbourhood
) -> list[Candidate]:
    """Returns the candidates of linked pages, each with a lower score than the page that it came by.

    `hits` are the scores of pages with hits. A page on the way that is no candidate itself passes on how high
    it could have been.
    """
    highest = dict(hits)
    added = []
    for page, origins in around.origins.items():
        if page in hits:
            continue
        highest[page] = _BELOW_ITS_HIT * max(highest[origin] for origin in origins)
        if page in best:
            highest[page] = min(best[page].score, highest[page])
            via = around.via[page]
            added.append(replace(best[page], score=highest[page], origin="expanded", via=via))
    return added


def _boost(candidate: Candidate, around: Neighbourhood, weight: float) -> Candidate:
    mass = around.mass.get(candidate.path)
    if mass is None:
        return candidate
    score = candidate.score + weight * mass
    return replace(candidate, score=score, scores=replace(candidate.scores, graph=mass))


def _best_by_page(ranked: Iterable[Candidate], limit: int) -> dict[str, float]:
    """Returns the score of each page's best candidate, for the first `limit` pages of a ranking."""
    best: dict[str, float] = {}
    for candidate in ranked:
        if candidate.path not in best and len(best) < limit:
            best[candidate.path] = candidate.score
    return best
