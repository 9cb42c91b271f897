"""The second stage: what it finds is mixed into the head of a ranking, and its trouble is told."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import pytest
from fakes import FakeScorer
from rankings import make_candidate

from retrieval.candidate import Candidate
from retrieval.deadline import Deadline
from retrieval.ladder import Rung
from retrieval.pack import RerankReason, RerankStep
from retrieval.refinement.cross_encoding import CrossEncodingRefiner
from retrieval.refinement.mixing import mix_scores
from retrieval.refinement.port import Measured, Question
from retrieval.refinement.stage import DEPTH, SecondStage, refine_ranking
from retrieval.store import Snapshot

pytestmark = pytest.mark.anyio


def make_ranking(scores: Mapping[str, float]) -> list[Candidate]:
    return [replace(make_candidate(path, 0), chunk_id=path, score=score) for path, score in scores.items()]


def show(ranked: Sequence[Candidate]) -> dict[str, float]:
    return {candidate.chunk_id: round(candidate.score, 6) for candidate in ranked}


def ask(query: str, *, seconds: float = 10.0) -> Question:
    """Returns a question whose refiner needs no index."""
    rung = Rung(level="lexical", steps=(), coverage=1.0)
    return Question(query=query, snapshot=cast(Snapshot, None), rung=rung, deadline=Deadline(seconds=seconds))


class FakeRefiner:
    """Finds the scores that it is given."""

    def __init__(self, scores: Mapping[str, float], reason: RerankReason | None = None) -> None:
        self._measured = Measured(scores=scores, reason=reason)
        self.asked: list[str] = []

    async def measure(self, question: Question, candidates: Sequence[Candidate]) -> Measured:
        self.asked += [candidate.chunk_id for candidate in candidates]
        return self._measured


def test_found_scores_are_stretched_over_the_own_ones_and_mixed() -> None:
    ranked = mix_scores(make_ranking({"a": 1.0, "b": 0.6, "c": 0.2}), {"a": 3, "b": 13, "c": 8}, share=0.5)
    assert show(ranked) == {"b": 0.8, "a": 0.6, "c": 0.4}
    assert [candidate.scores.rerank for candidate in ranked] == [candidate.score for candidate in ranked]


@pytest.mark.parametrize(("share", "order"), [(0.0, "abc"), (0.4, "abc"), (0.6, "cba"), (1.0, "cba")])
def test_the_share_decides_between_opposite_orders(share: float, order: str) -> None:
    ranked = make_ranking({"a": 1.0, "b": 0.6, "c": 0.2})
    assert "".join(show(mix_scores(ranked, {"a": 1, "b": 2, "c": 3}, share=share))) == order


def test_a_candidate_without_a_found_score_keeps_its_own() -> None:
    ranked = mix_scores(make_ranking({"a": 1.0, "b": 0.7, "c": 0.5, "d": 0.1}), {"b": -2, "c": 5}, share=1.0)
    assert show(ranked) == {"a": 1.0, "c": 0.7, "b": 0.5, "d": 0.1}


@pytest.mark.parametrize("found", [{}, {"b": 4.0}, {"a": 2.0, "b": 2.0, "c": 2.0}])
def test_what_tells_no_difference_changes_nothing(found: Mapping[str, float]) -> None:
    ranked = make_ranking({"a": 1.0, "b": 0.6, "c": 0.2})
    assert mix_scores(ranked, found, share=0.5) == ranked


async def test_only_the_head_is_looked_at_and_it_stays_above_the_rest() -> None:
    ranked = make_ranking({f"{place:02}": 1 - place / 100 for place in range(DEPTH + 5)})
    head = [candidate.chunk_id for candidate in ranked[:DEPTH]]
    refiner = FakeRefiner({name: float(place) for place, name in enumerate(head)})
    stage = SecondStage(name="maxsim", refiner=refiner)
    refined, step = await refine_ranking(stage, ask("q"), ranked, share=1.0)
    assert refiner.asked == head
    assert list(show(refined)) == [*reversed(head), *(candidate.chunk_id for candidate in ranked[DEPTH:])]
    assert step == RerankStep(stage="maxsim", outcome="used", reason=None)


@pytest.mark.parametrize(
    ("scores", "reason", "outcome"),
    [
        ({"a": 1.0, "b": 2.0}, None, "used"),
        ({"a": 1.0}, "token-vectors-partial", "partial"),
        ({}, "timeout", "unavailable"),
    ],
)
async def test_the_step_says_what_came_of_it(
    scores: Mapping[str, float], reason: RerankReason | None, outcome: str
) -> None:
    stage = SecondStage(name="cross-encoder", refiner=FakeRefiner(scores, reason))
    _, step = await refine_ranking(stage, ask("q"), make_ranking({"a": 1.0, "b": 0.5}), share=0.5)
    assert (step.stage, step.outcome, step.reason) == ("cross-encoder", outcome, reason)


async def test_a_cross_encoder_reads_title_headings_and_text() -> None:
    scorer = FakeScorer()
    passage = replace(make_candidate("a", 0), title="Deploy", heading_path=("Rollback",), text="Undo it.")
    measured = await CrossEncodingRefiner(scorer).measure(ask("undo rollback"), [passage])
    assert scorer.asked == [("undo rollback", ("Deploy > Rollback\nUndo it.",))]
    assert measured == Measured(scores={passage.chunk_id: 1.0})


async def test_a_cross_encoder_scores_every_candidate() -> None:
    ranked = make_ranking({f"{place:02}": 1 - place / 100 for place in range(DEPTH)})
    measured = await CrossEncodingRefiner(FakeScorer()).measure(ask("07"), ranked)
    assert measured.scores.keys() == {candidate.chunk_id for candidate in ranked}
    assert [name for name, score in measured.scores.items() if score > 0] == ["07"]


async def test_a_cross_encoder_that_fails_is_a_reason() -> None:
    scorer = FakeScorer()
    scorer.raising = True
    measured = await CrossEncodingRefiner(scorer).measure(ask("q"), make_ranking({"a": 1.0}))
    assert measured == Measured(reason="failed")


async def test_a_slow_cross_encoder_costs_the_request_its_time_and_no_more() -> None:
    scorer = FakeScorer()
    scorer.hang_seconds = 0.5
    refiner = CrossEncodingRefiner(scorer)
    ranked = make_ranking({f"{place:02}": 1 - place / 100 for place in range(DEPTH)})
    begun = time.monotonic()
    assert await refiner.measure(ask("q", seconds=0.3), ranked) == Measured(reason="timeout")
    assert time.monotonic() - begun < 1.5
    scorer.hang_seconds = 0.0
    # The one before stops after the batch that it is at.
    assert (await refiner.measure(ask("q"), ranked)).reason is None
    assert len(scorer.asked) <= 2 + -(-DEPTH // 8)
