"""From passages to what is quoted of them, within a budget of tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chunking.options import TokenCounter
from retrieval.excerpt import Excerpt, cut_excerpt, quote_passage
from retrieval.pack import Budget
from retrieval.passages import Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """Excerpts, best first, as the index has them, and what they cost.

    `budget.truncated` tells whether anything was cut or left out.
    """

    excerpts: tuple[Excerpt, ...]
    budget: Budget


def assemble(
    passages: Sequence[Passage], *, max_tokens: int, page_texts: Mapping[str, str], counter: TokenCounter
) -> Assembled:
    """Returns the excerpts that `passages`, best first, give within `max_tokens`.

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
        excerpts=tuple(kept),
        budget=Budget(max_tokens=max_tokens, tokens=spent, truncated=truncated),
    )
