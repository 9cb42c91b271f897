"""Adding the graph's signal to a ranking: a boost for linked candidates, and linked pages that no lane found."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from retrieval.candidate import Candidate, sort_candidates
from retrieval.dense import read_candidates
from retrieval.fusion import Fusion
from retrieval.graph import GRAPH_WEIGHT, SEED_PAGES, Neighbourhood, explore
from retrieval.request import Expand
from retrieval.signals import Signals

# An expanded passage stays this much below the hit whose link led to it.
_BELOW_ITS_HIT = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Expanded:
    """A ranking with the graph's signal; `explored` says that any links were there."""

    candidates: list[Candidate]
    explored: bool
    truncated: bool


async def expand_ranking(
    signals: Signals, ranked: Sequence[Candidate], fusion: Fusion, *, expand: Expand, where: str | None
) -> Expanded:
    """Returns the ranking with links taken into account, expanded passages at most `expand.limit`.

    Every passage that was found directly stays; one that was not has a lower score than the hit it came by.
    """
    around = await explore(signals.snapshot, _best_by_page(ranked, SEED_PAGES), hops=expand.hops)
    boosted = [_boost(candidate, candidate.score, around) for candidate in ranked]
    added = await _find_linked(signals, boosted, around, fusion, limit=expand.limit, where=where)
    return Expanded(
        candidates=sort_candidates((*boosted, *added)),
        explored=bool(around.mass),
        truncated=around.truncated,
    )


async def _find_linked(
    signals: Signals,
    ranked: Sequence[Candidate],
    around: Neighbourhood,
    fusion: Fusion,
    *,
    limit: int,
    where: str | None,
) -> list[Candidate]:
    scores = _best_by_page(ranked, len(ranked))
    pages = [page for page in around.reached() if page not in scores][:limit]
    if not pages:
        return []
    found = await signals.measure(await read_candidates(signals.snapshot, "path", pages, where=where))
    scored = [_boost(candidate, fusion.score(candidate.scores), around) for candidate in found]
    best: dict[str, Candidate] = {}
    for candidate in sort_candidates(scored):
        if not candidate.heading_only or candidate.path not in best:
            best.setdefault(candidate.path, candidate)
    added = []
    for page in pages:
        if page in best:
            hit = max((scores[origin] for origin in around.origins[page] if origin in scores), default=0.0)
            scores[page] = min(best[page].score, _BELOW_ITS_HIT * hit)
            added.append(replace(best[page], score=scores[page], origin="expanded", via=around.via[page]))
    return [candidate for candidate in added if candidate.score > 0]


def _boost(candidate: Candidate, score: float, around: Neighbourhood) -> Candidate:
    mass = around.mass.get(candidate.path)
    if mass is None:
        return replace(candidate, score=score)
    return replace(candidate, score=score + GRAPH_WEIGHT * mass, scores=replace(candidate.scores, graph=mass))


def _best_by_page(ranked: Iterable[Candidate], limit: int) -> dict[str, float]:
    """Returns the score of each page's best candidate, for the first `limit` pages of a ranking."""
    best: dict[str, float] = {}
    for candidate in ranked:
        if candidate.path not in best and len(best) < limit:
            best[candidate.path] = candidate.score
    return best
