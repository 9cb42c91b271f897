"""One score from two: weights, what is missing, and the order of equals."""

from dataclasses import replace

import pytest
from rankings import make_candidate

from retrieval.candidate import Candidate
from retrieval.fusion import CHOICE_WEIGHT, DENSE_WEIGHT, FOREIGN_DENSE_WEIGHT, Fusion, weigh_dense
from retrieval.pack import Scores


def found(place: str, *, dense: float | None = None, lexical: float | None = None) -> Candidate:
    return replace(make_candidate(place, 0), scores=Scores(dense=dense, lexical=lexical))


def rank(*candidates: Candidate, weight: float = 0.4) -> dict[str, float]:
    """Returns the scores by path, best first."""
    ranked = Fusion.fit(candidates, dense_weight=weight).rank(candidates)
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
    (ranked,) = Fusion.fit([candidate], dense_weight=0.4).rank([candidate])
    assert (ranked.scores.dense, ranked.scores.lexical) == (0.5, 3.0)
    assert ranked.scores.rerank == ranked.score == pytest.approx(1.0)


def test_equals_stand_in_the_order_of_the_pages_bare_headings_last() -> None:
    bare = replace(found("a.md", lexical=1.0), heading_only=True)
    ranked = Fusion.fit([bare], dense_weight=0.4).rank(
        [bare, found("c.md", lexical=1.0), found("b.md:5-6", lexical=1.0)]
    )
    assert [candidate.path for candidate in ranked] == ["b.md", "c.md", "a.md"]


@pytest.mark.parametrize(
    ("query", "weight"),
    [
        ("how do I roll back", DENSE_WEIGHT),
        ("crème brûlée", DENSE_WEIGHT),
        ("E1234 !?", DENSE_WEIGHT),
        ("", DENSE_WEIGHT),
        ("回滚 deploy", DENSE_WEIGHT),
        ("回滚发布", FOREIGN_DENSE_WEIGHT),
        ("как откатить deploy", FOREIGN_DENSE_WEIGHT),
    ],
)
def test_vectors_weigh_little_for_a_query_mostly_in_another_script(query: str, weight: float) -> None:
    assert weigh_dense(query, "chunk") == weigh_dense(query, "page") == weight


@pytest.mark.parametrize("query", ["roll back", "回滚发布"])
def test_a_choice_weighs_the_same_in_every_script(query: str) -> None:
    assert weigh_dense(query, "llm") == CHOICE_WEIGHT
