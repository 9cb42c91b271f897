"""From a request to an evidence pack: the one way that every surface takes.

request ─> scope ─> search ─> passages ─> evidence ─> freshness, gaps ─> pack
"""

from collections.abc import Sequence

from chunking.options import TokenCounter
from retrieval import warnings
from retrieval.ablation import WHOLE, Ablation
from retrieval.candidate import Candidate
from retrieval.deadline import Deadline
from retrieval.evidence import Assembled, assemble
from retrieval.expectation import expect_quality
from retrieval.failures import count_failed_pages
from retrieval.freshness import Checked, FreshnessCheck
from retrieval.gaps import find_gaps
from retrieval.live import LiveWiki
from retrieval.models import Models
from retrieval.pack import Evidence, EvidencePack, Retrieval, seal
from retrieval.passages import Passage, select_passages
from retrieval.predicates import in_predicate
from retrieval.ranking import Ranking
from retrieval.reader import IndexReader
from retrieval.request import EvidenceRequest
from retrieval.scope import ScopeCompiler
from retrieval.search import Search
from retrieval.stopwatch import Stopwatch
from retrieval.store import Generation, Snapshot
from retrieval.warnings import PackWarning
from retrieval.weights import DEFAULT_WEIGHTS

_FOR_THEIR_LINKS = 3
"""Passages less likely than others have to be, that links of hits speak for."""


class Retriever:
    """Answers requests over one wiki; without any models by words and links alone.

    `url_base` begins the address of each citation. `live` is the wiki's files; a replica without them gives
    None.
    """

    def __init__(
        self,
        reader: IndexReader,
        *,
        models: Models,
        counter: TokenCounter,
        url_base: str,
        live: LiveWiki | None,
    ) -> None:
        self._reader = reader
        self._models = models
        self._counter = counter
        self._freshness = FreshnessCheck(wiki=live, counter=counter, url_base=url_base)
        self._scopes = ScopeCompiler()

    async def retrieve(self, request: EvidenceRequest) -> EvidencePack:
        """Returns the evidence for a request, from one generation.

        Raises:
            InvalidFilter: The path prefix leads out of the wiki.
            RerankMissing: The second stage that the request asks for is not set up.
            StoreError: There is no index, or it cannot be read.
        """
        deadline = _deadline_of(request)
        return await self._reader.read(
            lambda snapshot: self._answer(snapshot, request, deadline), generation=request.generation
        )

    async def rank(self, request: EvidenceRequest, *, ablation: Ablation) -> Ranking:
        """Returns the candidates for a request, best first, with only some parts of the search at work.

        Raises:
            As `retrieve`.
        """
        deadline = _deadline_of(request)
        return await self._reader.read(
            lambda snapshot: self._rank(snapshot, request, ablation, deadline, Stopwatch()),
            generation=request.generation,
        )

    async def _rank(
        self,
        snapshot: Snapshot,
        request: EvidenceRequest,
        ablation: Ablation,
        deadline: Deadline,
        stopwatch: Stopwatch,
    ) -> Ranking:
        where = await self._scopes.compile(snapshot, request.filters, request.path_prefix)
        tuning = snapshot.generation.tuning_at_work
        search = Search(
            snapshot=snapshot,
            request=request,
            models=self._models,
            weights=tuning.weights if tuning else DEFAULT_WEIGHTS,
            floor=tuning.floor if tuning else None,
            second_stage=self._models.second_stage(request.rerank),
            where=where,
            ablation=ablation,
            deadline=deadline,
            stopwatch=stopwatch,
        )
        return await search.run()

    async def _answer(self, snapshot: Snapshot, request: EvidenceRequest, deadline: Deadline) -> EvidencePack:
        stopwatch = Stopwatch()
        ranking = await self._rank(snapshot, request, WHOLE, deadline, stopwatch)
        with stopwatch.measure("evidence"):
            passages = select_passages(_select_relevant(ranking, request), k=request.k)
            assembled = await self._assemble(snapshot, passages, request.max_tokens)
        with stopwatch.measure("freshness"):
            checked = await self._freshness.run(snapshot, assembled)
        with stopwatch.measure("evidence"):
            gaps = await find_gaps(snapshot, checked)
            failed = await count_failed_pages(snapshot, request.path_prefix)
        return seal(
            EvidencePack(
                query=request.query,
                wiki=request.wiki,
                generation=snapshot.generation.number,
                config_digest=snapshot.generation.config_digest,
                answerable=bool(checked.evidence) and _is_answerable(ranking, request),
                retrieval=_describe(ranking, stopwatch),
                evidence=checked.evidence,
                gaps=gaps,
                budget=checked.budget,
                warnings=(
                    *self._warn_of_search(snapshot.generation, request, ranking, checked.evidence),
                    *_warn_of_content(request, checked, failed=failed),
                ),
            )
        )

    async def _assemble(self, snapshot: Snapshot, passages: Sequence[Passage], max_tokens: int) -> Assembled:
        joined = {passage.best.page_id for passage in passages if passage.joined}
        texts: dict[str, str] = {}
        if joined:
            where = in_predicate("page_id", joined)
            rows = await snapshot.rows("pages", columns=["page_id", "text"], where=where)
            texts = dict(zip(rows["page_id"].to_pylist(), rows["text"].to_pylist(), strict=True))
        return assemble(passages, max_tokens=max_tokens, page_texts=texts, counter=self._counter)

    def _warn_of_search(
        self,
        generation: Generation,
        request: EvidenceRequest,
        ranking: Ranking,
        evidence: Sequence[Evidence],
    ) -> tuple[PackWarning, ...]:
        rung = ranking.rung
        answered = bool(evidence) and _is_answerable(ranking, request)
        floor = _floor(ranking, request)
        found = (
            warnings.embedding_degraded(
                rung.level,
                rung.reason,
                coverage=rung.coverage,
                expected=expect_quality(generation, rung.level, coverage=rung.coverage),
            )
            if rung.reason
            else None,
            warnings.llm_fallback_used() if rung.chosen and request.mode != "llm" else None,
            warnings.llm_unavailable(rung.level, is_set_up=self._models.chooser is not None)
            if rung.choice_failed
            else None,
            None if answered else warnings.no_relevant_evidence(rung.level, best=ranking.best, floor=floor),
            warnings.graph_truncated() if ranking.graph_truncated else None,
        )
        return tuple(warning for warning in found if warning is not None)


def _deadline_of(request: EvidenceRequest) -> Deadline:
    return Deadline() if request.timeout_ms is None else Deadline(request.timeout_ms / 1000)


def _floor(ranking: Ranking, request: EvidenceRequest) -> float:
    return ranking.floor if request.min_score is None else request.min_score


def _is_answerable(ranking: Ranking, request: EvidenceRequest) -> bool:
    """Says whether the best candidate is likely enough to be relevant."""
    return ranking.best is not None and ranking.best >= _floor(ranking, request)


def _select_relevant(ranking: Ranking, request: EvidenceRequest) -> Sequence[Candidate]:
    """Returns what may become evidence: nothing where the best is below the floor, unless that is asked for.

    Links of hits speak for a few passages that would not be there for their own sake; a floor that the caller
    names holds for these too.
    """
    if request.nearest:
        return ranking.candidates
    if not _is_answerable(ranking, request):
        return ()
    floor = ranking.least if request.min_score is None else request.min_score
    spoken_for = 0
    selected = []
    for candidate in ranking.candidates:
        by_link = candidate.origin == "expanded" and candidate.score < floor and request.min_score is None
        spoken_for += int(by_link)
        if candidate.score >= floor or (by_link and spoken_for <= _FOR_THEIR_LINKS):
            selected.append(candidate)
    return selected


def _describe(ranking: Ranking, stopwatch: Stopwatch) -> Retrieval:
    return Retrieval(
        level=ranking.rung.level,
        steps=ranking.rung.steps,
        lanes=ranking.lanes,
        coverage=round(ranking.rung.coverage, 4),
        rerank=ranking.rerank,
        timings_ms={stage: round(seconds * 1000, 2) for stage, seconds in stopwatch.seconds().items()},
    )


def _warn_of_content(request: EvidenceRequest, checked: Checked, *, failed: int) -> tuple[PackWarning, ...]:
    found = (
        warnings.index_stale(changed=checked.differing) if checked.differing else None,
        warnings.evidence_stale(checked.stale) if checked.stale else None,
        warnings.pack_truncated(max_tokens=request.max_tokens) if checked.budget.truncated else None,
        warnings.page_issues(pages=failed) if failed else None,
    )
    return tuple(warning for warning in found if warning is not None)
