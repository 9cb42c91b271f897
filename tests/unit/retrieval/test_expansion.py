"""The graph's signal in a ranking: what it adds to a hit, which pages it brings, and how high they come."""

from typing import cast

import pytest
from linked_pages import Link, LinkedPages

from retrieval.analyzer import analyze_query
from retrieval.bm25 import CorpusStatistics
from retrieval.dense import read_candidates
from retrieval.expansion import Expanded, expand_ranking
from retrieval.fusion import Fusion
from retrieval.ladder import Rung
from retrieval.lexical import LexicalScorer
from retrieval.pack import Via
from retrieval.request import Expand
from retrieval.rerank import Reranker
from retrieval.store import Snapshot
from retrieval.weights import DEFAULT_WEIGHTS

pytestmark = pytest.mark.anyio

STATISTICS = CorpusStatistics(
    document_count=50, average_length=3.0, document_frequency={"zorb": 5, "quux": 5}
)
HIT = ["zorb"] * 3
WEAK_HIT = ["zorb", *"abcdefghijklmnopqrstuvwxyz"]
OTHER = ["other"]


async def expand(
    terms: dict[str, list[str]],
    links: list[Link],
    *hits: str,
    query: str = "zorb",
    hops: int = 1,
    limit: int = 8,
    least: float = 0.0,
) -> Expanded:
    """Expands the ranking that the hits have by the words of the query."""
    snapshot = cast(Snapshot, LinkedPages(terms, links))
    rung = Rung(level="lexical", steps=(), coverage=1.0)
    scorer = LexicalScorer(analyze_query(query), chunks=STATISTICS, pages=STATISTICS)
    reranker = Reranker(snapshot=snapshot, rung=rung, scorer=scorer)
    pool = await reranker.measure(await read_candidates(snapshot, "path", hits))
    fusion = Fusion(weights=DEFAULT_WEIGHTS, dense_weight=0.4).fit(pool)
    how = Expand(hops=hops, limit=limit)
    return await expand_ranking(reranker, fusion.rank(pool), fusion, least=least, expand=how, where=None)


def order(expanded: Expanded) -> list[str]:
    return [candidate.path for candidate in expanded.candidates]


async def test_a_linked_page_comes_in_by_the_mass_that_flows_to_it() -> None:
    terms = {"hit": HIT, "linked": OTHER, "alone": HIT}
    expanded = await expand(terms, [("hit", "linked")], "hit", "alone")
    assert order(expanded) == ["alone", "hit", "linked"]
    alone, hit, linked = expanded.candidates
    assert (alone.score, hit.score) == (1.0, 1.0)
    assert (hit.origin, hit.via, hit.scores.graph) == ("direct", (), None)
    assert 0.0 < linked.score < 0.2
    assert (linked.origin, linked.via) == ("expanded", (Via(source="hit", line=1, kind="wikilink"),))
    assert linked.scores.graph == 0.0
    assert (expanded.explored, expanded.truncated) == (True, False)


async def test_a_hit_that_holds_what_another_lacks_comes_just_below_it() -> None:
    terms = {"best": HIT, "second": [*HIT, "y"], "rest": [*OTHER * 5, "quux"]}
    hits = ("best", "second", "rest")
    assert order(await expand(terms, [("other", "rest")], *hits, query="zorb quux"))[-1] == "rest"
    expanded = await expand(terms, [("best", "rest")], *hits, query="zorb quux")
    assert order(expanded) == ["best", "rest", "second"]
    best, rest, _ = expanded.candidates
    assert rest.score == pytest.approx(0.99 * best.score)
    assert (rest.origin, rest.via) == ("direct", (Via(source="best", line=1, kind="wikilink"),))
    assert rest.scores.graph == pytest.approx(best.score)


async def test_a_linked_page_that_fits_better_stays_just_below_its_hit() -> None:
    terms = {"best": HIT, "weak": WEAK_HIT, "linked": HIT}
    expanded = await expand(terms, [("linked", "weak")], "best", "weak")
    assert order(expanded) == ["best", "weak", "linked"]
    _, weak, linked = expanded.candidates
    assert linked.scores.rerank == pytest.approx(1.0)
    assert weak.score * 0.98 < linked.score < weak.score


async def test_the_limit_takes_the_pages_with_the_largest_mass() -> None:
    terms = {"hit": HIT, "once": OTHER, "twice": OTHER, "other": HIT}
    links = [("hit", "once"), ("hit", "twice"), ("other", "twice")]
    expanded = await expand(terms, links, "hit", "other", limit=1)
    assert sorted(order(expanded)) == ["hit", "other", "twice"]
    assert set(order(await expand(terms, links, "hit", "other", limit=0))) == {"hit", "other"}


async def test_a_link_between_hits_adds_nothing_twice() -> None:
    expanded = await expand({"a": HIT, "b": HIT}, [("a", "b"), ("b", "a")], "a", "b")
    assert order(expanded) == ["a", "b"]
    assert {candidate.origin for candidate in expanded.candidates} == {"direct"}


async def test_a_self_link_is_no_link() -> None:
    expanded = await expand({"a": HIT}, [("a", "a")], "a")
    assert (expanded.explored, order(expanded)) == (False, ["a"])


async def test_no_hits_lead_nowhere() -> None:
    expanded = await expand({"a": OTHER, "b": OTHER}, [("a", "b")], "a")
    assert expanded == Expanded(candidates=[], explored=False, truncated=False)


async def test_many_links_to_one_page_name_the_first_few() -> None:
    expanded = await expand({"hit": HIT, "linked": OTHER}, [("hit", "linked")] * 9, "hit")
    assert [link.line for link in expanded.candidates[1].via] == [1, 2, 3, 4, 5]


async def test_a_page_below_what_a_hit_needs_comes_in_by_its_link() -> None:
    terms = {"hit": HIT, "weak": WEAK_HIT, "lone": WEAK_HIT}
    expanded = await expand(terms, [("hit", "weak")], "hit", "weak", "lone", least=0.9)
    assert order(expanded)[0] == "hit"
    by_path = {candidate.path: candidate for candidate in expanded.candidates}
    assert [by_path[path].origin for path in ("hit", "weak", "lone")] == ["direct", "expanded", "direct"]
    assert by_path["weak"].via == (Via(source="hit", line=1, kind="wikilink"),)
    assert by_path["lone"].score < by_path["weak"].score < by_path["hit"].score


async def test_links_of_what_is_no_hit_lead_nowhere() -> None:
    expanded = await expand({"hit": HIT, "weak": WEAK_HIT}, [("weak", "hit")], "weak", least=2.0)
    assert (order(expanded), expanded.explored) == (["weak"], False)
