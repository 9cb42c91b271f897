"""Runs over queries."""

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from rankings import FakeRank, make_evidence

from retrieval.pack import Budget, EvidencePack, Retrieval
from retrieval.request import EvidenceRequest
from service.evaluation.dataset import Answer, EvaluationSet, Query, Section, Source
from service.evaluation.experiment import DEPTH, Experiment, Outcome, PackOutcome, Trial, collect
from service.evaluation.runs import RUNS

pytestmark = pytest.mark.anyio

DATASET = EvaluationSet(
    name="small",
    corpus=Path("corpus"),
    queries=(Query(id="q1", text="one"), Query(id="q2", text="two")),
    grades={"q1": {"a.md": 1}, "q2": {"b.md": 1}},
    sections={"q1": (Section(page="a.md", first_line=5, last_line=8),)},
    answers={"q2": Answer(texts=("answer",), sources=(Source(page="a.md", text="It."),))},
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
        retrieval=Retrieval(level="chunk", steps=(), lanes=(), coverage=1.0, rerank=None, timings_ms={}),
        evidence=evidence,
        gaps=(),
        budget=Budget(max_tokens=1, tokens=1, truncated=False),
        warnings=(),
    )


async def run(rank: FakeRank, *names: str) -> tuple[Trial, ...]:
    experiment = Experiment(
        dataset=DATASET, runs=[RUNS[name] for name in names], rank=rank, retrieve=retrieve, generation=3
    )
    return await collect(experiment.run(DATASET.queries))


async def test_a_page_is_ranked_once_at_its_best_place() -> None:
    rank = FakeRank({"one": ["a.md:1-2", "b.md", "a.md:3-4", "c.md"]})
    first, second = await run(rank, "lexical")
    assert (first.query.id, first.outcomes["lexical"].pages) == ("q1", ("a.md", "b.md", "c.md"))
    assert (second.query.id, second.outcomes["lexical"].pages) == ("q2", ())


async def test_no_more_pages_are_kept_than_measures_look_at() -> None:
    rank = FakeRank({"one": [f"{number}.md" for number in range(DEPTH + 20)]})
    assert len((await run(rank, "lexical"))[0].outcomes["lexical"].pages) == DEPTH


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
    (trial, _) = await run(FakeRank({"one": places}), "lexical")
    assert trial.outcomes["lexical"].section_rank == expected


async def test_runs_ask_for_their_parts_and_level_query_by_query() -> None:
    rank = FakeRank({})
    await run(rank, "fused", "page")
    asked = [
        (request.query, request.mode, request.k, request.generation, sorted(ablation.lanes), ablation.rerank)
        for request, ablation in rank.asked
    ]
    everything = ["dense", "graph", "lexical"]
    assert asked == [
        ("one", "chunk", 100, 3, ["dense", "lexical"], False),
        ("one", "page", 100, 3, everything, True),
        ("two", "chunk", 100, 3, ["dense", "lexical"], False),
        ("two", "page", 100, 3, everything, True),
    ]


async def test_the_same_search_is_not_made_twice() -> None:
    rank = FakeRank({"one": ["a.md"], "two": ["b.md"]}, weak=["two"])
    first, second = await run(rank, "dense", "graph", "full")
    modes = [(request.query, request.mode) for request, _ in rank.asked]
    assert modes == [("one", "auto"), ("one", "chunk"), ("two", "auto"), ("two", "chunk"), ("two", "chunk")]
    assert (first.repeats, second.repeats) == ({"graph"}, set())
    assert first.outcomes["graph"] == first.outcomes["full"]
    assert list(first.outcomes) == ["dense", "graph", "full"]
    assert [second.outcomes[name].level for name in ("full", "graph")] == ["llm", "chunk"]


async def test_packs_are_made_with_the_full_run() -> None:
    first, second = await run(FakeRank({}), "full")
    assert first.pack == PackOutcome(answerable=True, holds_answer=None, holds_sources=None)
    assert second.pack == PackOutcome(answerable=True, holds_answer=True, holds_sources=False)
    assert [trial.pack for trial in await run(FakeRank({}), "lexical")] == [None, None]


def test_ctrl_c_keeps_what_was_measured_before() -> None:
    outcome = Outcome(pages=(), section_rank=None, level="chunk")
    done = Trial(query=DATASET.queries[0], outcomes={"full": outcome}, repeats=frozenset(), pack=None)

    async def interrupt(*trials: Trial) -> AsyncIterator[Trial]:
        for trial in trials:
            yield trial
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(60)

    assert asyncio.run(collect(interrupt(done))) == (done,)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(collect(interrupt()))
