"""What a link is worth: by what its hit lacks, where it stands, where it leads, and how many there are."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest
from rankings import make_candidate

from retrieval.candidate import Candidate
from retrieval.graph import Neighbourhood, Way
from retrieval.pack import Via
from retrieval.propagation import Propagation

SHARES = {"band": 0.5, "album": 0.3, "year": 0.2}
ONWARD = Way(near="hit.md", via=Via(source="hit.md", line=3, kind="wikilink"))
BACK = Way(near="hit.md", via=Via(source="far.md", line=7, kind="wikilink"))


@dataclass(frozen=True)
class Words:
    """The words of a query, which passages hold as they are."""

    shares: Mapping[str, float]

    def find_words(self, candidate: Candidate) -> frozenset[str]:
        return self.shares.keys() & frozenset(candidate.terms)


def passage(place: str, *terms: str, score: float = 0.0, headings: tuple[str, ...] = ()) -> Candidate:
    return replace(make_candidate(place, 0), terms=terms, score=score, heading_path=headings)


def lift(
    candidate: Candidate,
    *ways: Way,
    hits: tuple[Candidate, ...],
    degree: int = 1,
    shares: Mapping[str, float] = SHARES,
    weight: float = 1.0,
) -> Candidate:
    around = Neighbourhood(
        mass={}, ways={candidate.path: ways}, degrees={hit.path: degree for hit in hits}, truncated=False
    )
    return Propagation.prepare(around, hits, Words(shares), weight=weight).lift(candidate)


HIT = passage("hit.md:1-5", "band", score=0.8)


@pytest.mark.parametrize(
    ("terms", "worth"),
    [
        ((), 0.0),
        (("band",), 0.0),
        (("year",), 0.8 * 0.2 / 0.5),
        (("band", "album"), 0.8 * 0.3 / 0.5),
        (("album", "year"), 0.8),
    ],
)
def test_a_link_is_worth_the_share_of_what_the_hit_lacks(terms: tuple[str, ...], worth: float) -> None:
    lifted = lift(passage("far.md:1-9", *terms, score=0.1), ONWARD, hits=(HIT,), weight=0.5)
    assert lifted.scores.graph == pytest.approx(worth)
    assert lifted.score == pytest.approx(0.1 + 0.5 * worth)
    assert lifted.via == ((ONWARD.via,) if worth else ())


def test_a_hit_that_lacks_little_gives_little() -> None:
    hit = passage("hit.md:1-5", "band", "album", score=0.8)
    shares = {"band": 0.5, "album": 0.45, "year": 0.05}
    lifted = lift(passage("far.md:1-9", "year"), ONWARD, hits=(hit,), shares=shares)
    assert lifted.scores.graph == pytest.approx(0.8 * 0.05 / 0.2)


def test_no_passage_comes_above_the_hit_that_lifts_it_and_none_falls() -> None:
    rest = ("album", "year")
    assert lift(passage("far.md:1-9", *rest, score=0.5), ONWARD, hits=(HIT,)).score == pytest.approx(0.792)
    better = passage("far.md:1-9", *rest, score=0.9)
    lifted = lift(better, ONWARD, hits=(HIT,))
    assert (lifted.score, lifted.via, lifted.scores.graph) == (0.9, (), pytest.approx(0.8))


def test_a_link_counts_whole_in_the_hit_and_half_elsewhere() -> None:
    far = passage("far.md:1-9", "album", "year")
    other = passage("hit.md:6-9", "band", score=0.6)
    below = replace(ONWARD, via=replace(ONWARD.via, line=8))
    outside = replace(ONWARD, via=replace(ONWARD.via, line=20))
    worth = [lift(far, way, hits=(HIT, other)).scores.graph for way in (ONWARD, below, outside, BACK)]
    assert worth == pytest.approx([0.8, 0.6, 0.4, 0.4])


def test_a_page_that_is_linked_with_many_passes_on_less() -> None:
    far = passage("far.md:1-9", "album", "year")
    assert [lift(far, ONWARD, hits=(HIT,), degree=degree).score for degree in (1, 4, 25)] == pytest.approx(
        [0.792, 0.4, 0.16]
    )


def test_a_link_to_a_heading_lifts_what_stands_below_it() -> None:
    way = replace(ONWARD, section=("Far", "Albums"))
    terms = ("album", "year")
    inside = passage("far.md:1-9", *terms, headings=("Far", "Albums", "First"))
    beside = passage("far.md:1-9", *terms, headings=("Far", "Members"))
    assert lift(inside, way, hits=(HIT,)).scores.graph == pytest.approx(0.8)
    assert lift(beside, way, hits=(HIT,)) == beside


def test_the_strongest_link_counts_and_is_told_first() -> None:
    far = passage("far.md:1-9", "album", "year", score=0.1)
    lifted = lift(far, BACK, ONWARD, hits=(HIT,), weight=0.5)
    assert lifted.score == pytest.approx(0.5)
    assert lifted.via == (ONWARD.via, BACK.via)


def test_links_of_pages_without_a_hit_lift_nothing() -> None:
    far = passage("far.md:1-9", "album", "year")
    assert lift(far, replace(ONWARD, near="near.md"), hits=(HIT,)) == far
