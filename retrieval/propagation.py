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
class _Hit:
    """A hit, and the words of the query that it holds."""

    candidate: Candidate
    held: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pull:
    """What a link does to a passage: the score that it gives, and what it is worth by itself."""

    score: float
    graph: float
    via: Via


@dataclass(frozen=True, slots=True, kw_only=True)
class Propagation:
    """What flows along the links around the hits of one query.

    `hits` are by path of page, best first. `weight` is `links` in the formula.
    """

    around: Neighbourhood
    hits: Mapping[str, Sequence[_Hit]]
    words: Words
    weight: float

    @classmethod
    def prepare(
        cls, around: Neighbourhood, hits: Iterable[Candidate], words: Words, *, weight: float
    ) -> "Propagation":
        """Takes the hits, best first, of which those on the seeds of the neighbourhood count."""
        by_page: dict[str, list[_Hit]] = {path: [] for path in around.degrees}
        for hit in hits:
            if hit.path in by_page:
                by_page[hit.path].append(_Hit(candidate=hit, held=words.find_words(hit)))
        return cls(around=around, hits=by_page, words=words, weight=weight)

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
        ways = [way for way in self.around.ways.get(candidate.path, ()) if self.hits.get(way.near)]
        held = self.words.find_words(candidate) if ways else frozenset[str]()
        for way in ways:
            if way.leads_to(candidate.heading_path):
                hit, place = self._find_hit(way)
                strength = place / sqrt(self.around.degrees[way.near]) * self._weigh(hit, held)
                graph = hit.candidate.score * strength
                score = min(candidate.score + self.weight * graph, BELOW_ITS_HIT * hit.candidate.score)
                yield _Pull(score=score, graph=graph, via=way.via)

    def _find_hit(self, way: Way) -> tuple[_Hit, float]:
        """Returns the hit in which a link stands, else the best of its page, and what the place counts."""
        hits = self.hits[way.near]
        lines = ((hit, hit.candidate.span) for hit in hits if way.onward)
        inside = (hit for hit, span in lines if span.line_start <= way.via.line <= span.line_end)
        found = next(inside, None)
        return (hits[0], _ELSEWHERE) if found is None else (found, 1.0)

    def _weigh(self, hit: _Hit, held: frozenset[str]) -> float:
        """Returns how much of what the hit lacks a passage that holds these words adds, from 0 to 1."""
        lacking = {word: share for word, share in self.words.shares.items() if word not in hit.held}
        added = sum(share for word, share in lacking.items() if word in held)
        return added / max(sum(lacking.values()), _LEAST_MISSING)
