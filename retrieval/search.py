"""The search of one request: lanes, rerank, fusion, a second stage if there is one, graph, P(relevant).

terms ──> lexical lane ─┐
                        ├─> pool ─> BM25 and cosine of each ─> fusion ─> (refinement) ─> graph ─> ranking
vector ─> dense lane ───┘
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from retrieval.ablation import Ablation
from retrieval.analyzer import analyze_query
from retrieval.candidate import Candidate
from retrieval.choice import choose_pages
from retrieval.deadline import Deadline
from retrieval.dense import find_nearest
from retrieval.expansion import Expanded, expand_ranking
from retrieval.fusion import Fusion
from retrieval.judgement import Judge
from retrieval.ladder import Rung, choose_rung
from retrieval.lexical import LexicalScorer, find_by_terms
from retrieval.models import Models
from retrieval.pack import Lane, RerankStep
from retrieval.query_terms import QueryTerms
from retrieval.ranking import Ranking
from retrieval.refinement.port import Question
from retrieval.refinement.stage import SecondStage, refine_ranking
from retrieval.relevance import UNKNOWN_SPACE, Calibration
from retrieval.request import EvidenceRequest
from retrieval.rerank import Reranker
from retrieval.scripts import is_mostly_latin
from retrieval.stopwatch import Stopwatch
from retrieval.store import Snapshot
from retrieval.weights import RankingWeights

POOL = 100
"""Each lane gives at least this many candidates, so that ties and an index's own scores decide nothing."""

_POOL_PER_HIT = 4
# Where chunks of a page share its score, no more of them than this, the best by words.
_CHUNKS_A_PAGE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One request within a scope, over one generation, with the parts of the search that are at work.

    `floor` takes the place of the embedder's own where something was fitted to the wiki.

    The stopwatch measures the stages that run: `embedding` and `lexical` beside each other, then `choice`,
    `dense`, `rerank`, `refine` and `graph`, which a language model's choice makes run once more.
    """

    snapshot: Snapshot
    request: EvidenceRequest
    models: Models
    weights: RankingWeights
    where: str | None
    ablation: Ablation
    deadline: Deadline
    stopwatch: Stopwatch
    floor: float | None = None
    second_stage: SecondStage | None = None

    async def run(self) -> Ranking:
        """Returns the candidates, best first, each with P(relevant)."""
        terms = self._read_query() if "lexical" in self.ablation.lanes else None
        by_terms, rung = await asyncio.gather(
            self._find_by_terms(terms),
            self._choose_rung(),
        )
        with self.stopwatch.measure("lexical"):
            scorer = await LexicalScorer.prepare(self.snapshot, terms) if terms else None
        if self._has_no_vectors(rung):
            rung = await self._ask_chooser(rung, by_terms)
        ranking = await self._rank(rung, by_terms, scorer)
        if self._is_weak(ranking):
            rung = await self._ask_chooser(rung, by_terms)
            ranking = await self._rank(rung, by_terms, scorer) if rung.chosen else replace(ranking, rung=rung)
        return ranking

    @property
    def _pool_size(self) -> int:
        return max(POOL, _POOL_PER_HIT * self.request.k)

    def _read_query(self) -> QueryTerms:
        return analyze_query(self.request.query, self.snapshot.generation.counts.languages)

    @property
    def _calibration(self) -> Calibration:
        return self.models.embedder.calibration if self.models.embedder else UNKNOWN_SPACE

    @property
    def _is_foreign(self) -> bool:
        """Whether the embedder has hardly seen the query's script."""
        return not self._calibration.every_script and not is_mostly_latin(self.request.query)

    async def _find_by_terms(self, terms: QueryTerms | None) -> list[Candidate]:
        if not terms:
            return []
        with self.stopwatch.measure("lexical"):
            return await find_by_terms(self.snapshot, terms, where=self.where, limit=self._pool_size)

    async def _choose_rung(self) -> Rung:
        return await choose_rung(
            self.snapshot,
            self.request.query,
            self.models.embedder,
            where=self.where,
            mode=self.request.mode if "dense" in self.ablation.lanes else "lexical",
            deadline=self.deadline,
            stopwatch=self.stopwatch,
        )

    def _has_no_vectors(self, rung: Rung) -> bool:
        """Says whether a language model is to choose pages because nothing else of the dense lane is left."""
        if "dense" not in self.ablation.lanes:
            return False
        stepped_down = rung.level == "lexical" and rung.reason is not None
        return self.request.mode == "llm" or (stepped_down and self.models.chooser is not None)

    def _is_weak(self, ranking: Ranking) -> bool:
        """Says whether a language model is to choose pages because vectors found nothing relevant."""
        may_ask = self.models.ask_when_weak and self.models.chooser is not None
        asked_auto = may_ask and self.request.mode == "auto"
        return asked_auto and ranking.rung.level in ("chunk", "page") and ranking.is_weak

    async def _ask_chooser(self, rung: Rung, shortlist: Iterable[Candidate]) -> Rung:
        with self.stopwatch.measure("choice"):
            return await choose_pages(
                self.snapshot,
                self.request,
                self.models,
                rung,
                shortlist=shortlist,
                where=self.where,
                deadline=self.deadline,
            )

    async def _rank(self, rung: Rung, by_terms: Sequence[Candidate], scorer: LexicalScorer | None) -> Ranking:
        with self.stopwatch.measure("dense"):
            nearest = await find_nearest(self.snapshot, rung, where=self.where, limit=self._pool_size)
        reranker = Reranker(snapshot=self.snapshot, rung=rung, scorer=scorer)
        pool = _merge(by_terms, nearest)
        if self.ablation.rerank:
            with self.stopwatch.measure("rerank"):
                pool = await reranker.measure(pool)
        fusion = self._weigh(rung).fit(pool)
        ranked = fusion.rank(pool)
        if rung.level != "chunk" or rung.reason is not None:
            ranked = _keep_best_of_pages(ranked, {candidate.chunk_id for candidate in by_terms})
        ranked, rerank = await self._refine(rung, ranked)
        judgement = Judge(
            calibration=self._calibration,
            floor=self.floor,
            rung=rung,
            scorer=scorer,
            foreign=self._is_foreign,
        ).judge(ranked)
        least = judgement.least_ratio(self.request.min_score)
        expanded = await self._expand(reranker, ranked, fusion, share=least)
        return Ranking(
            candidates=judgement.apply(expanded.candidates),
            rung=rung,
            lanes=_list_lanes(rung, scorer, expanded),
            graph_truncated=expanded.truncated,
            floor=judgement.floor,
            foreign=self._is_foreign,
            rerank=rerank,
        )

    async def _refine(self, rung: Rung, ranked: list[Candidate]) -> tuple[list[Candidate], RerankStep | None]:
        """Has the best candidates looked at once more, where a second stage is set or asked for."""
        stage = self.second_stage
        if stage is None or not ranked:
            return ranked, None
        share = self.weights.of_stage(stage.name)
        question = Question(
            query=self.request.query, snapshot=self.snapshot, rung=rung, deadline=self.deadline
        )
        with self.stopwatch.measure("refine"):
            return await refine_ranking(stage, question, ranked, share=share)

    def _weigh(self, rung: Rung) -> Fusion:
        space = self.snapshot.generation.space
        return Fusion(
            weights=self.weights,
            dense_weight=self.weights.of_dense(rung.level, foreign=self._is_foreign),
            origin=space.origin if space is not None and rung.vector is not None else 0.0,
            measured=self.ablation.rerank and rung.vector is not None,
        )

    async def _expand(
        self, reranker: Reranker, ranked: list[Candidate], fusion: Fusion, *, share: float
    ) -> Expanded:
        """Follows links from the candidates that have this share of the best one's score."""
        if not ranked or "graph" not in self.ablation.lanes or self.request.expand.hops == 0:
            return Expanded(candidates=ranked, explored=False, truncated=False)
        if self.deadline.has_passed:
            return Expanded(candidates=ranked, explored=False, truncated=True)
        with self.stopwatch.measure("graph"):
            return await expand_ranking(
                reranker,
                ranked,
                fusion,
                least=share * ranked[0].score,
                expand=self.request.expand,
                where=self.where,
            )


def _merge(by_terms: Iterable[Candidate], nearest: Iterable[Candidate]) -> list[Candidate]:
    """Returns the candidates of both lanes, those that both found with both scores."""
    pool = {candidate.chunk_id: candidate for candidate in by_terms}
    for candidate in nearest:
        known = pool.get(candidate.chunk_id, candidate)
        scores = replace(known.scores, dense=candidate.scores.dense)
        pool[candidate.chunk_id] = replace(known, scores=scores)
    return list(pool.values())


def _keep_best_of_pages(ranked: Iterable[Candidate], by_terms: set[str]) -> list[Candidate]:
    """Leaves out chunks that only their page stands for, where better ones of that page come before them.

    These are known by the score that they share.
    """
    counts: dict[tuple[str, float | None], int] = defaultdict(int)
    kept = []
    for candidate in ranked:
        shared = candidate.page_id, candidate.scores.dense
        if candidate.chunk_id in by_terms or counts[shared] < _CHUNKS_A_PAGE:
            counts[shared] += 1
            kept.append(candidate)
    return kept


def _list_lanes(rung: Rung, scorer: LexicalScorer | None, expanded: Expanded) -> tuple[Lane, ...]:
    ran: list[tuple[Lane, bool]] = [
        ("dense", rung.vector is not None or bool(rung.chosen)),
        ("lexical", scorer is not None),
        ("graph", expanded.explored),
    ]
    return tuple(lane for lane, did in ran if did)
