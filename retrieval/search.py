"""The search of one request: lanes, fusion, graph, P(relevant).

terms ──> lexical lane ─┐
                        ├─> pool ─> BM25 and cosine of each ─> fusion ─> graph ─> ranking
vector ─> dense lane ───┘
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace

from retrieval.ablation import Ablation, Ranking
from retrieval.analyzer import analyze_query
from retrieval.candidate import Candidate, sort_candidates
from retrieval.dense import find_nearest
from retrieval.expansion import expand_ranking
from retrieval.fusion import Fusion, weigh_dense
from retrieval.ladder import choose_rung
from retrieval.lexical import LexicalScorer, find_by_terms
from retrieval.pack import Lane
from retrieval.query_embedder import QueryEmbedder
from retrieval.relevance import UNKNOWN_SPACE, estimate_best
from retrieval.request import EvidenceRequest
from retrieval.signals import Signals
from retrieval.store import Snapshot

POOL = 100
"""Each lane gives at least this many candidates, so that ties and an index's own scores decide nothing."""

_POOL_PER_HIT = 4


async def search(
    snapshot: Snapshot,
    request: EvidenceRequest,
    embedder: QueryEmbedder | None,
    *,
    where: str | None,
    ablation: Ablation,
) -> Ranking:
    """Returns the candidates for a request within a scope, best first; without an embedder by words alone."""
    terms, limit = analyze_query(request.query), max(POOL, _POOL_PER_HIT * request.k)
    words = "lexical" in ablation.lanes
    by_terms, rung = await asyncio.gather(
        find_by_terms(snapshot, terms if words else (), where=where, limit=limit),
        choose_rung(
            snapshot,
            request.query,
            embedder,
            where=where,
            mode=request.mode if "dense" in ablation.lanes else "lexical",
        ),
    )
    nearest = await find_nearest(snapshot, rung, where=where, limit=limit)
    scorer = await LexicalScorer.prepare(snapshot, terms) if words else None
    signals = Signals(snapshot=snapshot, rung=rung, scorer=scorer)
    pool = await signals.measure(_distinct((*by_terms, *nearest)))
    fusion = Fusion.fit(pool, dense_weight=weigh_dense(request.query))
    ranked = _rank(pool, fusion)
    lanes: list[Lane] = [*(["dense"] if rung.vector is not None else []), *(["lexical"] if words else [])]
    truncated = False
    if "graph" in ablation.lanes:
        expanded = await expand_ranking(signals, ranked, fusion, expand=request.expand, where=where)
        ranked, truncated = expanded.candidates, expanded.truncated
        lanes += ["graph"] if expanded.explored else []
    calibration = UNKNOWN_SPACE if embedder is None else embedder.calibration
    best = estimate_best(
        calibration,
        cosine=fusion.best_dense if rung.vector is not None else None,
        share=scorer.share(fusion.best_lexical) if scorer else 0.0,
    )
    return Ranking(
        candidates=_to_probabilities(ranked, best),
        rung=rung,
        lanes=tuple(lanes),
        graph_truncated=truncated,
        floor=calibration.floor if rung.vector is not None else 0.0,
    )


def _distinct(candidates: Iterable[Candidate]) -> list[Candidate]:
    return list({candidate.chunk_id: candidate for candidate in candidates}.values())


def _rank(pool: Sequence[Candidate], fusion: Fusion) -> list[Candidate]:
    scored = [replace(candidate, score=fusion.score(candidate.scores)) for candidate in pool]
    return sort_candidates(candidate for candidate in scored if candidate.score > 0)


def _to_probabilities(ranked: Sequence[Candidate], best: float) -> tuple[Candidate, ...]:
    """Turns scores into P(relevant), given that of the first."""
    if not ranked:
        return ()
    first = ranked[0].score
    return tuple(replace(candidate, score=best * candidate.score / first) for candidate in ranked)
