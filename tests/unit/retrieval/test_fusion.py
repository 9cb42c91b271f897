"""One score from two: weights, what is missing, and the order of equals."""

from dataclasses import replace

import pytest
from rankings import make_candidate

from retrieval.candidate import Candidate, PageScores
from retrieval.fusion import Fusion
from retrieval.pack import Scores
from retrieval.weights import DEFAULT_WEIGHTS, RankingWeights


def found(place: str, *, dense: float | None = None, lexical: float | None = None) -> Candidate:
    return replace(make_candidate(place, 0), scores=Scores(dense=dense, lexical=lexical))


def rank(*candidates: Candidate, weight: float = 0.4) -> dict[str, float]:
    """Returns the scores by path, best first."""
    ranked = Fusion(weights=DEFAULT_WEIGHTS, dense_weight=weight).fit(candidates).rank(candidates)
    return {candidate.path: candidate.score for candidate in ranked}


def test_both_scores_count_by_their_share_of_the_best() -> None:
    scores = rank(
        found("both.md", dense=0.8, lexical=10.0),
        found("near.md", dense=0.4, lexical=0.0),
        found("words.md", dense=0.0, lexical=5.0),
    )
    assert scores == {
        "both.md": pytest.approx(1.0),
        "words.md": pytest.approx(0.3),
        "near.md": pytest.approx(0.2),
    }


@pytest.mark.parametrize(
    ("candidate", "other"),
    [
        (found("a.md", dense=0.5), found("b.md", dense=0.25)),
        (found("a.md", dense=0.5, lexical=0.0), found("b.md", dense=0.25, lexical=0.0)),
        (found("a.md", lexical=4.0), found("b.md", lexical=2.0)),
        (found("a.md", dense=-0.1, lexical=4.0), found("b.md", dense=-0.5, lexical=2.0)),
    ],
    ids=["dense", "no word", "lexical", "opposite"],
)
def test_a_lane_that_gave_nothing_leaves_the_other_all_the_weight(
    candidate: Candidate, other: Candidate
) -> None:
    assert rank(other, candidate) == {"a.md": 1.0, "b.md": 0.5}


def test_candidates_that_no_lane_scored_are_left_out() -> None:
    assert rank(found("a.md"), found("b.md", dense=-0.2), found("c.md", lexical=0.0)) == {}
    assert rank() == {}


def test_the_combined_score_is_kept_beside_those_of_the_lanes() -> None:
    candidate = found("a.md", dense=0.5, lexical=3.0)
    (ranked,) = Fusion(weights=DEFAULT_WEIGHTS, dense_weight=0.4).fit([candidate]).rank([candidate])
    assert (ranked.scores.dense, ranked.scores.lexical) == (0.5, 3.0)
    assert ranked.scores.rerank == ranked.score == pytest.approx(1.0)


def test_equals_stand_in_the_order_of_the_pages_bare_headings_last() -> None:
    bare = replace(found("a.md", lexical=1.0), heading_only=True)
    ranked = (
        Fusion(weights=DEFAULT_WEIGHTS, dense_weight=0.4)
        .fit([bare])
        .rank([bare, found("c.md", lexical=1.0), found("b.md:5-6", lexical=1.0)])
    )
    assert [candidate.path for candidate in ranked] == ["b.md", "c.md", "a.md"]


ALONE = RankingWeights(page_dense=0.0, page_lexical=0.0)
AROUND = RankingWeights(page_dense=0.5, page_lexical=0.5)


def test_the_page_around_a_passage_counts_by_its_weight() -> None:
    home = replace(found("home.md", dense=0.4, lexical=2.0), page_scores=PageScores(dense=0.8, lexical=8.0))
    away = replace(found("away.md", dense=0.5, lexical=3.0), page_scores=PageScores(dense=0.1, lexical=3.0))
    alone = Fusion(weights=ALONE, dense_weight=0.5).fit([home, away]).rank([home, away])
    around = Fusion(weights=AROUND, dense_weight=0.5).fit([home, away]).rank([home, away])
    assert [candidate.path for candidate in alone] == ["away.md", "home.md"]
    assert [candidate.path for candidate in around] == ["home.md", "away.md"]
    assert around[1].score == pytest.approx((0.55 / 0.8 + 4.5 / 6.0) / 2)


def test_a_page_without_a_vector_is_as_near_as_its_passage() -> None:
    known = replace(found("known.md", dense=0.6), page_scores=PageScores(dense=0.6))
    unknown = found("unknown.md", dense=0.6)
    ranked = Fusion(weights=AROUND, dense_weight=0.5).fit([known, unknown]).rank([known, unknown])
    assert [candidate.score for candidate in ranked] == [1.0, 1.0]


def test_cosines_count_from_that_of_texts_with_nothing_in_common() -> None:
    near, far = found("near.md", dense=0.9), found("far.md", dense=0.8)
    beyond = found("beyond.md", dense=0.6)
    fusion = Fusion(weights=ALONE, dense_weight=0.5, origin=0.7).fit([near, far, beyond])
    scores = {candidate.path: candidate.score for candidate in fusion.rank([near, far, beyond])}
    assert scores == {"near.md": 1.0, "far.md": pytest.approx(0.5)}


def test_further_passages_of_a_section_count_less_one_after_the_other() -> None:
    weights = RankingWeights(again=0.5)
    first, second, third = (
        replace(found(f"a.md:{line}-{line}", lexical=score), section=4)
        for line, score in ((1, 4.0), (2, 4.0), (3, 3.0))
    )
    elsewhere = replace(found("a.md:9-9", lexical=1.0), section=5)
    candidates = [first, second, third, elsewhere]
    ranked = Fusion(weights=weights, dense_weight=0.5).fit(candidates).rank(candidates)
    scores = {candidate.span.line_start: candidate.score for candidate in ranked}
    assert scores == {1: 1.0, 2: 0.5, 9: 0.25, 3: pytest.approx(0.1875)}
    assert list(scores) == [1, 2, 9, 3]
    assert [candidate.scores.rerank for candidate in ranked] == list(scores.values())


def test_a_candidate_that_has_no_vector_is_judged_by_its_words() -> None:
    candidates = [found("near.md", dense=0.8, lexical=1.0), found("failed.md", lexical=4.0)]
    weights = RankingWeights(page_lexical=0.0)
    measured = Fusion(weights=weights, dense_weight=0.5, measured=True).fit(candidates)
    assert [(item.path, item.score) for item in measured.rank(candidates)] == [
        ("failed.md", 1.0),
        ("near.md", 0.625),
    ]
    found_only = Fusion(weights=weights, dense_weight=0.5).fit(candidates)
    assert [(item.path, item.score) for item in found_only.rank(candidates)] == [
        ("near.md", 0.625),
        ("failed.md", 0.5),
    ]
