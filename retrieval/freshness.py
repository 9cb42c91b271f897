"""From excerpts to evidence: held against the live files, repaired where they say it otherwise, and cited."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chunking.options import TokenCounter
from retrieval.citation import cite, cite_found, format_time
from retrieval.evidence import Assembled
from retrieval.excerpt import Excerpt, cut_text
from retrieval.live import LiveWiki
from retrieval.pack import Budget, Citation, Evidence
from retrieval.sighting import UNSEEN, Sighting, look_around
from retrieval.standing import Standing, find_standing, list_links, list_other_places
from retrieval.store import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Evidence as the files are now.

    `excerpts` are those of the index that it came from, in the same order. `stale` names the pages of
    passages that are not current or were left out; `differing` counts the files that are not as indexed.
    """

    evidence: tuple[Evidence, ...]
    excerpts: tuple[Excerpt, ...]
    budget: Budget
    stale: tuple[str, ...] = ()
    differing: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshnessCheck:
    """Holds excerpts against the live files; without `wiki` nothing is looked at and all is `unknown`."""

    wiki: LiveWiki | None
    counter: TokenCounter
    url_base: str

    async def run(self, snapshot: Snapshot, assembled: Assembled) -> Checked:
        """Returns the evidence that the excerpts give.

        Each file is read once, off the event loop. A passage whose page is gone is left out, as what is gone
        is never quoted, unless a copy of it stands elsewhere.
        """
        if self.wiki is None:
            return self.settle(assembled, UNSEEN)
        sighting = await look_around(snapshot, assembled.excerpts, self.wiki)
        if not sighting.differing:
            return self.settle(assembled, sighting)
        return await asyncio.to_thread(self.settle, assembled, sighting)

    def settle(self, assembled: Assembled, sighting: Sighting) -> Checked:
        """Returns the evidence that the excerpts give, by what was seen of the files."""
        found = [find_standing(excerpt, sighting) for excerpt in assembled.excerpts]
        kept, budget = [standing for standing in found if standing.state != "gone"], assembled.budget
        if any(standing.found for standing in kept) or len(kept) < len(found):
            kept, budget = self._fit(kept, budget, sighting)
        lost = [standing.path for standing in found if standing.state == "gone"]
        return Checked(
            evidence=tuple(self._write(rank, standing, sighting) for rank, standing in enumerate(kept, 1)),
            excerpts=tuple(standing.excerpt for standing in kept),
            budget=budget,
            stale=tuple(sorted({*lost, *(standing.path for standing in kept if standing.state == "stale")})),
            differing=sighting.differing,
        )

    def _fit(
        self, standings: Sequence[Standing], budget: Budget, sighting: Sighting
    ) -> tuple[list[Standing], Budget]:
        """Cuts what has grown beyond the budget; what then holds too little of its passage stays stale."""
        costs = self.counter.count([standing.excerpt.text for standing in standings])
        spare = max(0, budget.max_tokens - sum(costs))
        fitted, spent, truncated = [], 0, budget.truncated
        for standing, cost in zip(standings, costs, strict=True):
            fitting, actual = self._shorten(standing, cost + spare, sighting)
            truncated |= fitting is not standing
            spare += cost - actual
            spent += actual
            fitted.append(fitting)
        return fitted, replace(budget, tokens=spent, truncated=truncated)

    def _shorten(self, standing: Standing, most: int, sighting: Sighting) -> tuple[Standing, int]:
        """Returns the standing within `most` tokens, and how many it has."""
        (cost,) = self.counter.count([standing.text])
        if standing.found is None or cost <= most:
            return standing, cost
        page, text = sighting.pages[standing.path], cut_text(standing.text, most, self.counter)
        found = page.cut(standing.found, text, passage=standing.excerpt.text)
        (cost,) = self.counter.count([text])
        if found is not None and cost <= most:
            return replace(standing, found=found), cost
        (cost,) = self.counter.count([standing.excerpt.text])
        return Standing(excerpt=standing.excerpt, state="stale"), cost

    def _write(self, rank: int, standing: Standing, sighting: Sighting) -> Evidence:
        best, end = standing.excerpt.passage.best, standing.excerpt.span.char_end
        return Evidence(
            rank=rank,
            chunk_ids=tuple(
                chunk.chunk_id for chunk in standing.excerpt.passage.chunks if chunk.span.char_start < end
            ),
            score=best.score,
            origin=best.origin,
            text=standing.text,
            citation=self._cite(standing, sighting),
            also_at=list_other_places(standing, sighting),
            via=list_links(standing, sighting),
            scores=best.scores,
        )

    def _cite(self, standing: Standing, sighting: Sighting) -> Citation:
        if standing.state == "gone":
            raise ValueError("what is gone is left out, never cited")
        look, found = sighting.look(standing.path), standing.found
        if found is not None:
            title = sighting.pages[standing.path].title
            return cite_found(found, standing.path, title, look, self.url_base)
        citation = cite(standing.excerpt, self.url_base, standing.state)
        if standing.state == "repaired":  # the text of the page is the same, its bytes are not
            return replace(citation, page_sha256=look.sha256, modified=format_time(look.modified))
        return citation
