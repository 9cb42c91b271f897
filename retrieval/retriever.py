"""From a request to an evidence pack: the one way that every surface takes.

query ─> terms ─> lexical lane ─> passages ─> evidence ─> freshness, gaps ─> pack
"""

import time
from collections.abc import Mapping, Sequence

from chunking.options import TokenCounter
from retrieval import warnings
from retrieval.analyzer import analyze_query
from retrieval.candidate import Candidate
from retrieval.evidence import Assembled, assemble
from retrieval.freshness import ReadLive, check_freshness
from retrieval.gaps import find_gaps
from retrieval.lexical import search_terms
from retrieval.pack import Evidence, EvidencePack, Retrieval, Step, seal
from retrieval.passages import Passage, select_passages
from retrieval.predicates import in_predicate
from retrieval.reader import IndexReader
from retrieval.request import EvidenceRequest
from retrieval.scope import ScopeCompiler
from retrieval.store import Snapshot
from retrieval.warnings import PackWarning, Reason


class Retriever:
    """Answers requests over one wiki.

    `url_base` begins the address of each citation. `read_live` reads the wiki's files; a replica without them
    gives None.
    """

    def __init__(
        self, reader: IndexReader, *, counter: TokenCounter, url_base: str, read_live: ReadLive | None
    ) -> None:
        self._reader = reader
        self._counter = counter
        self._url_base = url_base
        self._read_live = read_live
        self._scopes = ScopeCompiler()

    async def retrieve(self, request: EvidenceRequest) -> EvidencePack:
        """Returns the evidence for a request, from one generation.

        Raises:
            InvalidFilter: The path prefix leads out of the wiki.
            StoreError: There is no index, or it cannot be read.
        """
        return await self._reader.read(
            lambda snapshot: self._answer(snapshot, request), generation=request.generation
        )

    async def _answer(self, snapshot: Snapshot, request: EvidenceRequest) -> EvidencePack:
        begun = time.perf_counter()
        where = await self._scopes.compile(snapshot, request.filters, request.path_prefix)
        candidates = await search_terms(snapshot, analyze_query(request.query), where=where, k=request.k)
        searched = time.perf_counter()
        passages = select_passages(_above(candidates, request.min_score), k=request.k)
        assembled = await self._assemble(snapshot, passages, request.max_tokens)
        evidence, stale = await check_freshness(assembled.evidence, self._read_live)
        gaps = await find_gaps(snapshot, evidence)
        degraded: Reason | None = None if request.mode == "lexical" else "disabled"
        timings = {"lexical": searched - begun, "evidence": time.perf_counter() - searched}
        return seal(
            EvidencePack(
                query=request.query,
                wiki=request.wiki,
                generation=snapshot.generation.number,
                config_digest=snapshot.generation.config_digest,
                answerable=bool(evidence),
                retrieval=_describe(degraded, timings),
                evidence=evidence,
                gaps=gaps,
                budget=assembled.budget,
                warnings=_warn(request, degraded, candidates, evidence, stale, assembled.budget.truncated),
            )
        )

    async def _assemble(self, snapshot: Snapshot, passages: Sequence[Passage], max_tokens: int) -> Assembled:
        joined = {passage.best.page_id for passage in passages if passage.joined}
        texts: dict[str, str] = {}
        if joined:
            where = in_predicate("page_id", joined)
            rows = await snapshot.rows("pages", columns=["page_id", "text"], where=where)
            texts = dict(zip(rows["page_id"].to_pylist(), rows["text"].to_pylist(), strict=True))
        return assemble(
            passages, max_tokens=max_tokens, page_texts=texts, counter=self._counter, url_base=self._url_base
        )


def _above(candidates: Sequence[Candidate], floor: float | None) -> Sequence[Candidate]:
    return [candidate for candidate in candidates if floor is None or candidate.score >= floor]


def _describe(degraded: Reason | None, timings: Mapping[str, float]) -> Retrieval:
    skipped = () if degraded is None else (Step(level="chunk", outcome="unavailable", reason=degraded),)
    return Retrieval(
        level="lexical",
        steps=(*skipped, Step(level="lexical", outcome="used", reason=None)),
        lanes=("lexical",),
        coverage=0.0,
        timings_ms={name: round(seconds * 1000, 2) for name, seconds in timings.items()},
    )


def _warn(
    request: EvidenceRequest,
    degraded: Reason | None,
    candidates: Sequence[Candidate],
    evidence: Sequence[Evidence],
    stale: Sequence[str],
    truncated: bool,
) -> tuple[PackWarning, ...]:
    best = candidates[0].score if candidates else None
    floor = request.min_score or 0.0
    found = (
        warnings.embedding_degraded("lexical", degraded) if degraded else None,
        None if evidence else warnings.no_relevant_evidence("lexical", best=best, floor=floor),
        warnings.evidence_stale(stale) if stale else None,
        warnings.pack_truncated(max_tokens=request.max_tokens) if truncated else None,
    )
    return tuple(warning for warning in found if warning is not None)
