"""Runs over queries."""

from pathlib import Path

import pytest
from rankings import FakeRank, make_evidence

from retrieval.pack import Budget, EvidencePack, Retrieval
from retrieval.request import EvidenceRequest
from service.evaluation.dataset import Answer, EvaluationSet, Query, Section
from service.evaluation.experiment import DEPTH, Experiment, run_experiment
from service.evaluation.runs import RUNS

pytestmark = pytest.mark.anyio

DATASET = EvaluationSet(
    name="small",
    corpus=Path("corpus"),
    queries=(Query(id="q1", text="one"), Query(id="q2", text="two")),
    grades={"q1": {"a.md": 1}, "q2": {"b.md": 1}},
    sections={"q1": (Section(page="a.md", first_line=5, last_line=8),)},
    answers={"q2": Answer(texts=("answer",), sources=())},
)


async def retrieve(request: EvidenceRequest) -> EvidencePack:
    assert (request.k, request.generation) == (8, 3)
    evidence = (make_evidence("b.md", f"The answer to {request.query}."),)
    return EvidencePack(
        query=request.query,
        wiki="w",
        generation=3,
        config_digest="",
        answerable=True,
        retrieval=Retrieval(level="chunk", steps=(), lanes=(), coverage=1.0, timings_ms={}),
        evidence=evidence,
        gaps=(),
        budget=Budget(max_tokens=1, tokens=1, truncated=False),
        warnings=(),
    )


async def run(rank: FakeRank, *names: str) -> Experiment:
    runs = [RUNS[name] for name in names]
    return await run_experiment(DATASET, DATASET.queries, runs, rank=rank, retrieve=retrieve, generation=3)


async def test_a_page_is_ranked_once_at_its_best_place() -> None:
    rank = FakeRank({"one": ["a.md:1-2", "b.md", "a.md:3-4", "c.md"]})
    first, second = (await run(rank, "lexical")).outcomes["lexical"]
    assert (first.query.id, first.pages) == ("q1", ("a.md", "b.md", "c.md"))
    assert (second.query.id, second.pages) == ("q2", ())


async def test_no_more_pages_are_kept_than_measures_look_at() -> None:
    rank = FakeRank({"one": [f"{number}.md" for number in range(DEPTH + 20)]})
    assert len((await run(rank, "lexical")).outcomes["lexical"][0].pages) == DEPTH


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        (["a.md:1-4", "b.md:5-8", "a.md:8-12"], 3),
        (["a.md:1-5"], 1),
        (["a.md:6-7"], 1),
        (["a.md:1-20"], 1),
        (["a.md:1-4", "a.md:9-12"], None),
        ([], None),
    ],
)
async def test_a_section_is_hit_by_one_common_line(places: list[str], expected: int | None) -> None:
    (outcome, _) = (await run(FakeRank({"one": places}), "lexical")).outcomes["lexical"]
    assert outcome.section_rank == expected


async def test_runs_ask_for_their_lanes_and_level_query_by_query() -> None:
    rank = FakeRank({})
    await run(rank, "lexical", "page")
    asked = [
        (request.query, request.mode, request.k, request.generation, sorted(ablation.lanes))
        for request, ablation in rank.asked
    ]
    everything = ["dense", "graph", "lexical"]
    assert asked == [
        ("one", "auto", 100, 3, ["lexical"]),
        ("one", "page", 100, 3, everything),
        ("two", "auto", 100, 3, ["lexical"]),
        ("two", "page", 100, 3, everything),
    ]


async def test_packs_are_made_for_the_full_run_where_answers_are_known() -> None:
    assert (await run(FakeRank({}), "full")).answered == {"q2": True}
    assert (await run(FakeRank({}), "lexical")).answered == {}
