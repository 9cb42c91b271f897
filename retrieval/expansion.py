"""Adding the graph's signal to a ranking: hits that links lift, and linked pages without a hit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from retrieval.candidate import Candidate, sort_candidates
from retrieval.dense import read_candidates
from retrieval.fusion import Fusion
from retrieval.graph import SEED_PAGES, Neighbourhood, explore
from retrieval.propagation import BELOW_ITS_HIT, LINKS_SHOWN, Propagation
from retrieval.request import Expand
from retrieval.rerank import Reranker

# What the largest mass is worth to a page that is there for links alone, and may hold no word of the query.
_MASS = 0.2


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

    Hits are the candidates with a score of `least` or more. Links are followed from them, and lift what is
    found on pages with hits. A page without a hit that a link leads to comes in with its best passage, told
    to be expanded, with a lower score than the hit it came by. Every hit stays. A query without words leads
    nowhere, for nothing tells what a hit lacks.
    """
    hits = [candidate for candidate in ranked if candidate.score >= least]
    own = _best_by_page(hits, len(hits))
    seeds = dict(list(own.items())[:SEED_PAGES])
    around = await explore(reranker.snapshot, seeds, hops=expand.hops, where=where)
    if not around.ways or reranker.scorer is None:
        return Expanded(candidates=list(ranked), explored=False, truncated=around.truncated)
    propagation = Propagation.prepare(around, hits, reranker.scorer, weight=fusion.weights.links)
    added = await _find_linked(reranker, own, around, propagation, fusion, limit=expand.limit)
    expanded = {candidate.chunk_id for candidate in added}
    rest = [candidate for candidate in ranked if candidate.chunk_id not in expanded]
    lifted = [propagation.lift(candidate) if candidate.path in own else candidate for candidate in rest]
    return Expanded(candidates=sort_candidates((*lifted, *added)), explored=True, truncated=around.truncated)


async def _find_linked(
    reranker: Reranker,
    hits: Mapping[str, float],
    around: Neighbourhood,
    propagation: Propagation,
    fusion: Fusion,
    *,
    limit: int,
) -> list[Candidate]:
    """Returns the best passage of each page that links lead to and has no hit, for the largest masses.

    `hits` are the scores of pages with hits.
    """
    pages = [page for page in around.reached() if page not in hits][:limit]
    if not pages:
        return []
    found = await reranker.measure(await read_candidates(reranker.snapshot, "path", pages))
    scored = (_add_mass(fusion.apply(candidate), around) for candidate in found)
    lifted = sort_candidates(propagation.lift(candidate) for candidate in scored)
    best: dict[str, Candidate] = {}
    for candidate in sorted(lifted, key=lambda item: (not _is_named(item, around), item.heading_only)):
        best.setdefault(candidate.path, candidate)
    return _keep_below(best, hits, around)


def _add_mass(candidate: Candidate, around: Neighbourhood) -> Candidate:
    return replace(candidate, score=candidate.score + _MASS * around.mass[candidate.path])


def _is_named(candidate: Candidate, around: Neighbourhood) -> bool:
    """Says whether any link to the page of a candidate leads to where that stands."""
    return any(way.leads_to(candidate.heading_path) for way in around.ways[candidate.path])


def _keep_below(
    best: Mapping[str, Candidate], hits: Mapping[str, float], around: Neighbourhood
) -> list[Candidate]:
    """Returns the candidates of linked pages, each with a lower score than the page that it came by.

    A page on the way that is no candidate itself passes on how high it could have been.
    """
    highest = dict(hits)
    added = []
    for page, ways in around.ways.items():
        if page in hits:
            continue
        highest[page] = BELOW_ITS_HIT * max(highest[way.near] for way in ways)
        if page in best:
            highest[page] = min(best[page].score, highest[page])
            via = dict.fromkeys((*best[page].via, *(way.via for way in ways)))
            added.append(
                replace(best[page], score=highest[page], origin="expanded", via=tuple(via)[:LINKS_SHOWN])
            )
    return added


def _best_by_page(ranked: Iterable[Candidate], limit: int) -> dict[str, float]:
    """Returns the score of each page's best candidate, for the first `limit` pages of a ranking."""
    best: dict[str, float] = {}
    for candidate in ranked:
        if candidate.path not in best and len(best) < limit:
            best[candidate.path] = candidate.score
    return best
