"""From passages to evidence: quoted verbatim, fitted to the budget, ranked and cited."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chunking.options import TokenCounter
from retrieval.citation import cite, list_other_places
from retrieval.excerpt import Excerpt, cut_excerpt, quote_passage
from retrieval.pack import Budget, Evidence
from retrieval.passages import Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """Evidence by rank, and what it costs; `budget.truncated` tells whether anything was cut or left out."""

    evidence: tuple[Evidence, ...]
    budget: Budget


def assemble(
    passages: Sequence[Passage],
    *,
    max_tokens: int,
    page_texts: Mapping[str, str],
    counter: TokenCounter,
    url_base: str,
) -> Assembled:
    """Returns the evidence that `passages`, best first, give within `max_tokens`.

    A passage that does not fit what is left is left out, so that shorter ones behind it may still come; the
    first one is cut rather than left out. `page_texts` has the text of each page, by `page_id`, that a joined
    passage is in.
    """
    excerpts = [quote_passage(passage, page_texts) for passage in passages]
    costs = counter.count([excerpt.text for excerpt in excerpts])
    truncated = sum(costs) > max_tokens
    if excerpts and costs[0] > max_tokens:
        excerpts[0] = cut_excerpt(excerpts[0], max_tokens, counter)
        costs[0] = counter.count([excerpts[0].text])[0]
    kept: list[Excerpt] = []
    spent = 0
    for excerpt, cost in zip(excerpts, costs, strict=True):
        if not kept or spent + cost <= max_tokens:
            kept.append(excerpt)
            spent += cost
    return Assembled(
        evidence=tuple(_make_evidence(rank, excerpt, url_base) for rank, excerpt in enumerate(kept, start=1)),
        budget=Budget(max_tokens=max_tokens, tokens=spent, truncated=truncated),
    )


def _make_evidence(rank: int, excerpt: Excerpt, url_base: str) -> Evidence:
    best, end = excerpt.passage.best, excerpt.span.char_end
    return Evidence(
        rank=rank,
        chunk_ids=tuple(chunk.chunk_id for chunk in excerpt.passage.chunks if chunk.span.char_start < end),
        score=best.score,
        origin=best.origin,
        text=excerpt.text,
        citation=cite(excerpt, url_base),
        also_at=list_other_places(excerpt),
        via=best.via,
        scores=best.scores,
    )
