"""How an excerpt stands in the wiki as it is now: there, repaired, not to be found, or gone."""

from dataclasses import dataclass, replace
from typing import Literal

from chunking.model import Span
from retrieval.candidate import Candidate
from retrieval.excerpt import Excerpt
from retrieval.pack import AlsoAt, Freshness, Via
from retrieval.passages import Passage
from retrieval.repair import Found
from retrieval.sighting import Sighting


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """An excerpt of the index, and what stands in its place now.

    `found` is set where the text of the page has changed and the passage is still in it.
    """

    excerpt: Excerpt
    state: Freshness | Literal["gone"]
    found: Found | None = None

    @property
    def path(self) -> str:
        """The page that holds it."""
        return self.excerpt.passage.best.path

    @property
    def text(self) -> str:
        """What can be quoted."""
        return self.found.text if self.found else self.excerpt.text


def find_standing(excerpt: Excerpt, sighting: Sighting) -> Standing:
    """Returns how a passage stands, or else its first copy that does."""
    own = _stand(excerpt, sighting)
    if own.state in ("stale", "gone"):
        for number in range(len(excerpt.passage.twins)):
            copy = _stand(_promote(excerpt, number, sighting), sighting)
            if copy.state in ("fresh", "repaired"):
                return copy
    return own


def list_other_places(standing: Standing, sighting: Sighting) -> tuple[AlsoAt, ...]:
    """Returns where else the quoted text stands; nothing that was looked for and not found."""
    places = (_find_copy(standing, twin, sighting) for twin in standing.excerpt.passage.twins)
    return tuple(place for place in places if place is not None)


def list_links(standing: Standing, sighting: Sighting) -> tuple[Via, ...]:
    """Returns the links that led to the passage, at the lines where they are now."""
    links = (_find_link(via, standing, sighting) for via in standing.excerpt.passage.best.via)
    return tuple(via for via in links if via is not None)


def _stand(excerpt: Excerpt, sighting: Sighting) -> Standing:
    path = excerpt.passage.best.path
    look = sighting.look(path)
    if look.state in ("fresh", "gone"):
        return Standing(excerpt=excerpt, state=look.state)
    if look.state == "unreadable":
        return Standing(excerpt=excerpt, state="unknown")
    page = sighting.pages.get(path)
    if page is None:
        return Standing(excerpt=excerpt, state="stale")
    if page.is_same:
        return Standing(excerpt=excerpt, state="repaired")
    found = page.find(excerpt.span.char_start, excerpt.span.char_end)
    return Standing(excerpt=excerpt, state="repaired" if found else "stale", found=found)


def _promote(excerpt: Excerpt, number: int, sighting: Sighting) -> Excerpt:
    """Returns the excerpt with one of its copies in its place."""
    passage = excerpt.passage
    twin, others = passage.twins[number], (*passage.twins[:number], *passage.twins[number + 1 :])
    first = replace(
        twin[0],
        score=passage.best.score,
        scores=passage.best.scores,
        origin=passage.best.origin,
        via=passage.best.via,
    )
    span = _span_of(twin, excerpt)
    text = sighting.texts[first.path][span.char_start : span.char_end]
    return Excerpt(passage=Passage(best=first, chunks=twin, twins=others), text=text, span=span)


def _find_copy(standing: Standing, twin: tuple[Candidate, ...], sighting: Sighting) -> AlsoAt | None:
    path, span = twin[0].path, _span_of(twin, standing.excerpt)
    state = sighting.look(path).state
    page = sighting.pages.get(path)
    # Line ends may differ, the words may not.
    is_edited = standing.text.split() != standing.excerpt.text.split()
    if state == "fresh" or (page is not None and page.is_same):
        return None if is_edited else _also_at(path, span)
    if state == "unreadable" and standing.state == "unknown":
        return _also_at(path, span)
    found = page.find(span.char_start, span.char_end) if page else None
    return _also_at(path, found.span) if found and found.text.split() == standing.text.split() else None


def _find_link(via: Via, standing: Standing, sighting: Sighting) -> Via | None:
    look, page = sighting.look(via.source), sighting.pages.get(via.source)
    if look.state == "fresh" or (look.state == "unreadable" and standing.state == "unknown"):
        return via
    line = page.find_line(via.line) if page else None
    return None if line is None else replace(via, line=line)


def _span_of(twin: tuple[Candidate, ...], excerpt: Excerpt) -> Span:
    """Returns where the text of an excerpt stands in a copy; a cut one takes as many lines as there."""
    first, last = twin[0].span, twin[-1].span
    height = excerpt.span.line_end - excerpt.span.line_start
    if not excerpt.is_cut:
        return Span(
            char_start=first.char_start,
            char_end=last.char_end,
            line_start=first.line_start,
            line_end=last.line_end,
        )
    return Span(
        char_start=first.char_start,
        char_end=min(last.char_end, first.char_start + len(excerpt.text)),
        line_start=first.line_start,
        line_end=min(last.line_end, first.line_start + height),
    )


def _also_at(path: str, span: Span) -> AlsoAt:
    return AlsoAt(path=path, line_start=span.line_start, line_end=span.line_end)
