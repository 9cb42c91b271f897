"""Laws of a ranking that hold for any candidates: scores, their order, and what links may add."""

import asyncio
from dataclasses import replace
from random import Random
from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st
from linked_pages import Link, LinkedPages
from rankings import make_candidate

from retrieval.analyzer import analyze_query
from retrieval.bm25 import CorpusStatistics
from retrieval.candidate import Candidate
from retrieval.dense import read_candidates
from retrieval.expansion import Expanded, expand_ranking
from retrieval.fusion import Fusion
from retrieval.ladder import Rung
from retrieval.lexical import LexicalScorer
from retrieval.pack import Scores
from retrieval.relevance import Calibration, estimate_best
from retrieval.request import Expand
from retrieval.rerank import Reranker
from retrieval.store import Snapshot
from retrieval.weights import DEFAULT_WEIGHTS

WEIGHTS = st.floats(0, 1)
SCORES = st.builds(
    Scores,
    dense=st.none() | st.floats(-1, 1),
    lexical=st.none() | st.floats(0, 100),
)
CANDIDATES = st.lists(SCORES, max_size=12).map(
    lambda scores: [
        replace(make_candidate(f"{number}.md", number), scores=each) for number, each in enumerate(scores)
    ]
)


@given(CANDIDATES, WEIGHTS)
def test_a_fitted_score_is_from_0_to_1_and_the_order_falls(
    candidates: list[Candidate], weight: float
) -> None:
    ranked = Fusion(weights=DEFAULT_WEIGHTS, dense_weight=weight).fit(candidates).rank(candidates)
    scores = [candidate.score for candidate in ranked]
    assert all(0 < score <= 1 + 1e-9 for score in scores)
    assert scores == sorted(scores, reverse=True)


@given(CANDIDATES, WEIGHTS, st.randoms())
def test_a_ranking_does_not_depend_on_the_order_of_the_candidates(
    candidates: list[Candidate], weight: float, random: Random
) -> None:
    shuffled = random.sample(candidates, len(candidates))
    ranked, again = (
        Fusion(weights=DEFAULT_WEIGHTS, dense_weight=weight).fit(them).rank(them)
        for them in (candidates, shuffled)
    )
    assert ranked == again


@given(CANDIDATES.filter(bool), WEIGHTS, st.floats(0, 1), st.floats(0, 100))
def test_a_candidate_that_is_better_in_one_lane_and_no_worse_in_the_other_ranks_no_lower(
    candidates: list[Candidate], weight: float, nearer: float, more: float
) -> None:
    fusion = Fusion(weights=DEFAULT_WEIGHTS, dense_weight=weight).fit(candidates)
    for candidate in candidates:
        dense, lexical = candidate.scores.dense, candidate.scores.lexical
        better = Scores(dense=(dense or 0.0) + nearer, lexical=(lexical or 0.0) + more)
        assert fusion.apply(replace(candidate, scores=better)).score >= fusion.apply(candidate).score - 1e-9


CALIBRATIONS = st.builds(
    Calibration,
    cosine=st.floats(0, 50),
    held=st.floats(0, 50),
    offset=st.floats(-50, 50),
    floor=st.just(0.5),
)
COSINES = st.floats(-1, 1)
SHARES = st.floats(0, 1)


@given(CALIBRATIONS, COSINES | st.none(), SHARES)
def test_relevance_is_a_probability(calibration: Calibration, cosine: float | None, held: float) -> None:
    assert 0 <= estimate_best(calibration, cosine=cosine, held=held) <= 1


@given(CALIBRATIONS, COSINES, COSINES, SHARES)
def test_relevance_grows_with_the_cosine(
    calibration: Calibration, cosine: float, other: float, held: float
) -> None:
    low, high = sorted((cosine, other))
    estimates = [estimate_best(calibration, cosine=each, held=held) for each in (low, high)]
    assert estimates == sorted(estimates)


@given(CALIBRATIONS, COSINES | st.none(), st.tuples(SHARES, SHARES))
def test_relevance_grows_with_what_the_words_say(
    calibration: Calibration, cosine: float | None, shares: tuple[float, float]
) -> None:
    estimates = [estimate_best(calibration, cosine=cosine, held=held) for held in sorted(shares)]
    assert estimates == sorted(estimates)


# The first example loads what computes the PageRank.
untimed = settings(deadline=None)
PAGES = [f"{letter}.md" for letter in "abcdefg"]
TERMS = st.fixed_dictionaries(
    {page: st.lists(st.sampled_from(["zorb", "x", "y"]), min_size=1, max_size=6) for page in PAGES}
)
LINKS = st.lists(st.tuples(st.sampled_from(PAGES), st.sampled_from(PAGES)), unique=True, max_size=14)
HITS = st.sets(st.sampled_from(PAGES), min_size=1)
QUERY = analyze_query("zorb x")
STATISTICS = CorpusStatistics(document_count=50, average_length=3.0, document_frequency={"zorb": 9, "x": 20})


async def expand(
    terms: dict[str, list[str]], links: list[Link], hits: set[str], how: Expand
) -> tuple[list[Candidate], Expanded]:
    """Returns the ranking of the pages that are hits, and that ranking expanded through the links."""
    snapshot = cast(Snapshot, LinkedPages(terms, links))
    rung = Rung(level="lexical", steps=(), coverage=1.0)
    reranker = Reranker(
        snapshot=snapshot, rung=rung, scorer=LexicalScorer(QUERY, chunks=STATISTICS, pages=STATISTICS)
    )
    pool = await reranker.measure(await read_candidates(snapshot, "path", sorted(hits)))
    fusion = Fusion(weights=DEFAULT_WEIGHTS, dense_weight=0.4).fit(pool)
    ranked = fusion.rank(pool)
    return ranked, await expand_ranking(reranker, ranked, fusion, least=0.0, expand=how, where=None)


@untimed
@given(TERMS, LINKS, HITS, st.integers(0, 3), st.integers(0, 7))
def test_links_keep_every_hit_and_add_pages_below_those_they_came_by(
    terms: dict[str, list[str]], links: list[Link], hits: set[str], hops: int, limit: int
) -> None:
    ranked, expanded = asyncio.run(expand(terms, links, hits, Expand(hops=hops, limit=limit)))
    scores = {candidate.path: candidate.score for candidate in expanded.candidates}
    direct = {candidate.path for candidate in ranked}
    added = [candidate for candidate in expanded.candidates if candidate.origin == "expanded"]
    assert len(scores) == len(expanded.candidates)
    assert scores.keys() - {candidate.path for candidate in added} == direct
    assert len(added) <= (limit if hops else 0)
    assert list(scores.values()) == sorted(scores.values(), reverse=True)
    for candidate in added:
        assert 0 < candidate.score < max(scores[path] for path in direct)
        ways = {link.source for link in candidate.via} | {
            target for link in candidate.via for source, target in [links[link.line - 1]]
        }
        assert candidate.path in ways
        if (ways := ways - {candidate.path}) <= scores.keys():
            assert candidate.score < max(scores[path] for path in ways)


@untimed
@given(TERMS, LINKS, HITS, st.integers(1, 3))
def test_links_lower_no_score_and_lift_none_above_the_hit_at_their_other_end(
    terms: dict[str, list[str]], links: list[Link], hits: set[str], hops: int
) -> None:
    ranked, expanded = asyncio.run(expand(terms, links, hits, Expand(hops=hops)))
    before = {candidate.path: candidate.score for candidate in ranked}
    for candidate in expanded.candidates:
        if candidate.origin == "expanded":
            continue
        own = before[candidate.path]
        ends = {page for link in candidate.via for page in links[link.line - 1]} - {candidate.path}
        assert candidate.score == own if not ends else own < candidate.score < max(map(before.get, ends))
    best = [[(hit.path, hit.score) for hit in them[:1]] for them in (ranked, expanded.candidates)]
    assert best[0] == best[1]


@untimed
@given(TERMS, LINKS, HITS)
def test_a_page_within_reach_is_added_unless_the_limit_says_otherwise(
    terms: dict[str, list[str]], links: list[Link], hits: set[str]
) -> None:
    ranked, expanded = asyncio.run(expand(terms, links, hits, Expand(hops=2, limit=len(PAGES))))
    reached = {candidate.path for candidate in ranked}
    for _ in range(2):
        reached |= {page for link in links if set(link) & reached for page in link}
    assert {candidate.path for candidate in expanded.candidates} == reached


@untimed
@given(TERMS, LINKS, HITS, st.integers(1, 3))
def test_hits_keep_their_scores_where_no_link_reaches_them(
    terms: dict[str, list[str]], links: list[Link], hits: set[str], hops: int
) -> None:
    apart = [link for link in links if not set(link) & hits]
    ranked, expanded = asyncio.run(expand(terms, apart, hits, Expand(hops=hops)))
    assert expanded == Expanded(candidates=ranked, explored=False, truncated=False)
