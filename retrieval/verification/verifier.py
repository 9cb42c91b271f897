"""Verifying citations, and the quotations of a text: from what is asked to verdicts, in the order asked."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from retrieval.live import LIVE_THREADS, LiveWiki
from retrieval.reader import IndexReader
from retrieval.store import IndexMissing, Snapshot
from retrieval.verification.claims import NOT_AT_HAND, TOO_LATE, TOO_MUCH, check_place, known_text, trace
from retrieval.verification.effort import Effort
from retrieval.verification.facts import Facts, find_candidates, read_facts
from retrieval.verification.library import Library
from retrieval.verification.model import MAX_CLAIMS, Claim, Quotation, QuoteVerdict, TextVerdict, Verdict
from retrieval.verification.quotations import read_quotations
from retrieval.verification.quotes import check_quote, trace_quote
from retrieval.verification.references import PageNames

_Found = TypeVar("_Found")

_SECONDS = 10.0
"""How long files are waited for, twice in one request."""

_EFFORT_SECONDS = 2.0
"""Processor time that comparing may take in one request; the rest is `TOO_MUCH`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What the index says of citations, and by text the pages that may say it."""

    facts: Facts = field(default_factory=Facts)
    candidates: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def list_candidates(self, claim: Claim) -> Sequence[str]:
        return self.candidates.get(known_text(claim, self.facts) or "", ())


class Verifier:
    """Holds citations and quotations against the files of one wiki; without `live` all is `unknown`.

    The index helps to find what is no longer where it is cited. Without one, only the cited pages are looked
    at. Files are read and compared in a thread.
    """

    def __init__(self, reader: IndexReader, *, live: LiveWiki | None) -> None:
        self._reader = reader
        self._live = live

    async def verify_citations(self, claims: Sequence[Claim]) -> tuple[Verdict, ...]:
        """Returns a verdict for each citation.

        Raises:
            StoreError: There is an index, and it cannot be read.
        """
        if self._live is None:
            return tuple(NOT_AT_HAND for _ in claims)
        try:
            return await self._verify_claims(claims, Library(self._live))
        except TimeoutError:
            return tuple(TOO_LATE for _ in claims)

    async def _verify_claims(self, claims: Sequence[Claim], library: Library) -> tuple[Verdict, ...]:
        effort = Effort(_EFFORT_SECONDS)
        checked = await _run(
            lambda: effort.map(
                lambda claim: check_place(claim, library), claims, otherwise=lambda _: TOO_MUCH
            )
        )
        lost = [claim for claim, verdict in zip(claims, checked, strict=True) if verdict is None]
        if not lost:
            return _fill(checked, ())
        known = await self._consult(lambda snapshot: _gather(snapshot, lost), _Known())

        def trace_one(claim: Claim) -> Verdict:
            return trace(claim, library, known.facts, known.list_candidates(claim))

        traced = await _run(lambda: effort.map(trace_one, lost, otherwise=lambda _: TOO_MUCH))
        return _fill(checked, traced)

    async def verify_text(self, text: str) -> TextVerdict:
        """Returns a verdict for each quotation in a text, up to `MAX_CLAIMS` of them.

        Raises:
            StoreError: There is an index, and it cannot be read.
        """
        no_paths: Sequence[str] = ()
        paths = await self._consult(_list_paths, no_paths)
        dialect = self._live.dialect if self._live else "obsidian"

        def read_text() -> tuple[PageNames, tuple[Quotation, ...]]:
            names = PageNames(paths)
            return names, read_quotations(text, names, dialect)

        # It opens no file, so it comes to an end.
        names, quotations = await asyncio.to_thread(read_text)
        taken, left_out = quotations[:MAX_CLAIMS], max(0, len(quotations) - MAX_CLAIMS)
        if self._live is None:
            return TextVerdict(quotes=_tell_all(taken, NOT_AT_HAND), left_out=left_out)
        try:
            quotes = await self._verify_quotations(taken, names, Library(self._live))
        except TimeoutError:
            quotes = _tell_all(taken, TOO_LATE)
        return TextVerdict(quotes=quotes, left_out=left_out)

    async def _verify_quotations(
        self, quotations: Sequence[Quotation], names: PageNames, library: Library
    ) -> tuple[QuoteVerdict, ...]:
        effort = Effort(_EFFORT_SECONDS)
        checked = await _run(
            lambda: effort.map(
                lambda quote: check_quote(quote, names, library),
                quotations,
                otherwise=lambda quote: _tell(quote, TOO_MUCH),
            )
        )
        lost = [quote for quote, verdict in zip(quotations, checked, strict=True) if verdict is None]
        texts = [quote.text for quote in lost]
        nowhere: dict[str, Sequence[str]] = {}
        candidates = await self._consult(lambda snapshot: find_candidates(snapshot, texts), nowhere)

        def trace_one(quote: Quotation) -> QuoteVerdict:
            return trace_quote(quote, names, library, candidates.get(quote.text, ()))

        traced = await _run(
            lambda: effort.map(trace_one, lost, otherwise=lambda quote: _tell(quote, TOO_MUCH))
        )
        return _fill(checked, traced)

    async def _consult(self, use: Callable[[Snapshot], Awaitable[_Found]], without: _Found) -> _Found:
        """Asks the index; `without` is what stands for its answer where there is none yet."""
        try:
            return await self._reader.read(use)
        except IndexMissing:
            return without


async def _gather(snapshot: Snapshot, claims: Sequence[Claim]) -> _Known:
    facts = await read_facts(snapshot, claims)
    texts = [text for claim in claims if (text := known_text(claim, facts))]
    return _Known(facts=facts, candidates=await find_candidates(snapshot, texts))


async def _list_paths(snapshot: Snapshot) -> Sequence[str]:
    rows = await snapshot.rows("pages", columns=["path"])
    paths: list[str] = rows["path"].to_pylist()
    return paths


async def _run(work: Callable[[], _Found]) -> _Found:
    """Does what opens files; raises TimeoutError where that takes too long."""
    return await LIVE_THREADS.call(work, seconds=_SECONDS)


def _tell_all(quotations: Sequence[Quotation], verdict: Verdict) -> tuple[QuoteVerdict, ...]:
    return tuple(_tell(quote, verdict) for quote in quotations)


def _tell(quotation: Quotation, verdict: Verdict) -> QuoteVerdict:
    return QuoteVerdict(quotation=quotation, cited=None, verdict=verdict)


def _fill(checked: Sequence[_Found | None], traced: Sequence[_Found]) -> tuple[_Found, ...]:
    """Returns what was checked, with what was traced, in its order, in place of None."""
    rest = iter(traced)
    return tuple(next(rest) if verdict is None else verdict for verdict in checked)
