"""What a link is worth: a share of the score of the hit at its other end, by what that hit lacks.

    score = max(own, min(own + links * graph, .99 * hit))
    graph = hit * place / sqrt(degree) * added / max(missing, .2)

`hit` is the score of the passage that links or is linked to. Of the query's weight (idf) `missing` is the
share in words that the hit does not hold, and `added` the part of it that the linked passage holds: where an
answer needs two pages, the second holds what the first has not. `place` is 1 where the link stands in the
hit, .5 where it stands elsewhere on its page or on the page that links to it. `degree` is how many pages
links join to the page of the hit, so a hub passes on little. No passage comes above the hit that lifts it.

Scores that flow along links are from Shakery and Zhai, A Probabilistic Relevance Propagation Model for
Hypertext Retrieval (2006); that they are to flow by what is missing was measured (`docs/decisions/0026`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Protocol

from retrieval.candidate import Candidate
from retrieval.graph import Neighbourhood, Way
from retrieval.pack import Via

BELOW_ITS_HIT = 0.99
"""The most that a passage may have for a link, as a share of the score of the hit at its other end."""

LINKS_SHOWN = 5

_ELSEWHERE = 0.5
# Where a hit holds nearly all of the query, whatever holds the rest is no second half of an answer.
_LEAST_MISSING = 0.2


class Words(Protocol):
    """The words of a query."""

    @property
    def shares(self) -> Mapping[str, float]:
        """The share of the query's weight in each of them."""

    def find_words(self, candidate: Candidate) -> frozenset[str]:
        """Returns those that a passage holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lead:
    """A link and the hit at its other end: what that has, what it lacks, and what all of this is worth."""

    way: Way
    hit: float
    lacks: Mapping[str, float]
    worth: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pull:
    """What a link does to a passage: the score that it gives, and what it is worth by itself."""

    score: float
    graph: float
    via: Via


@dataclass(frozen=True, slots=True, kw_only=True)
class Propagation:
    """What flows along the links around the hits of one query.

    `leads` are the links from hits by the path of the page they lead to. `weight` is `links` in the formula.
    """

    leads: Mapping[str, Sequence[_Lead]]
    words: Words
    weight: float

    @classmethod
    def prepare(
        cls, around: Neighbourhood, hits: Iterable[Candidate], words: Words, *, weight: float
    ) -> "Propagation":
        """Takes the hits, best first, of which those on the seeds of the neighbourhood count."""
        by_page: dict[str, list[Candidate]] = {path: [] for path in around.degrees}
        for hit in hits:
            if hit.path in by_page:
                by_page[hit.path].append(hit)
        leads = {
            path: [
                _follow(way, by_page[way.near], around.degrees[way.near], words)
                for way in ways
                if by_page.get(way.near)
            ]
            for path, ways in around.ways.items()
        }
        return cls(leads=leads, words=words, weight=weight)

    def lift(self, candidate: Candidate) -> Candidate:
        """Returns a passage with the score that links give it, and those that lift it, the strongest first.

        A passage without a link from a hit stays as it is.
        """
        pulls = sorted(self._find_pulls(candidate), key=lambda pull: -pull.score)
        if not pulls:
            return candidate
        lifting = [pull.via for pull in pulls if pull.score > candidate.score]
        return replace(
            candidate,
            score=max(candidate.score, pulls[0].score),
            scores=replace(candidate.scores, graph=pulls[0].graph),
            via=tuple(lifting[:LINKS_SHOWN]),
        )

    def _find_pulls(self, candidate: Candidate) -> Iterator[_Pull]:
        leads = self.leads.get(candidate.path, ())
        held = self.words.find_words(candidate) if leads else frozenset[str]()
        for lead in leads:
            if lead.way.leads_to(candidate.heading_path):
                graph = lead.worth * sum(share for word, share in lead.lacks.items() if word in held)
                score = min(candidate.score + self.weight * graph, BELOW_ITS_HIT * lead.hit)
                yield _Pull(score=score, graph=graph, via=lead.way.via)


def _follow(way: Way, hits: Sequence[Candidate], degree: int, words: Words) -> _Lead:
    """Takes for a link the hit in which it stands, else the best on that page."""
    spans = ((hit, hit.span) for hit in hits if way.onward)
    inside = (hit for hit, span in spans if span.line_start <= way.via.line <= span.line_end)
    holder = next(inside, None)
    hit, place = (hits[0], _ELSEWHERE) if holder is None else (holder, 1.0)
    held = words.find_words(hit)
    lacks = {word: share for word, share in words.shares.items() if word not in held}
    worth = hit.score * place / sqrt(degree) / max(sum(lacks.values()), _LEAST_MISSING)
    return _Lead(way=way, hit=hit.score, lacks=lacks, worth=worth)
