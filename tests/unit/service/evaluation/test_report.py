"""From outcomes to figures, and how they are shown."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.warnings import Level
from service.evaluation.dataset import EvaluationSet, Query, Section
from service.evaluation.experiment import Outcome, PackOutcome, Trial
from service.evaluation.measures import MEASURES, measure_runs
from service.evaluation.report import make_report, to_dict
from service.evaluation.table import describe_report

ONE, TWO = Query(id="q 1", text="one", language="en"), Query(id="q2", text="二", language="zh")
DATASET = EvaluationSet(
    name="small",
    corpus=Path("corpus"),
    queries=(ONE, TWO),
    grades={"q 1": {"a b.md": 2, "c.md": 1, "d.md": 0}, "q2": {"e.md": 1}},
    sections={"q 1": (Section(page="a b.md", first_line=1, last_line=2),)},
    answers={},
)
FILL = tuple(f"{number}.md" for number in range(8))


def outcome(*pages: str, section_rank: int | None = None, level: Level = "chunk") -> Outcome:
    return Outcome(pages=pages, section_rank=section_rank, level=level)


TRIALS = (
    Trial(
        query=ONE,
        outcomes={
            "full": outcome("a b.md", "c.md", section_rank=1),
            "lexical": outcome("d.md", "c.md", *FILL, "a b.md", section_rank=4, level="lexical"),
        },
        repeats=frozenset(),
        pack=PackOutcome(answerable=True, holds_answer=True, holds_sources=None),
    ),
    Trial(
        query=TWO,
        outcomes={"full": outcome("z.md", "e.md"), "lexical": outcome(level="lexical")},
        repeats=frozenset({"graph"}),
        pack=PackOutcome(answerable=True, holds_answer=False, holds_sources=False),
    ),
)


def test_the_values_of_each_query() -> None:
    values = measure_runs(DATASET, TRIALS)
    ideal = 2 + 1 / math.log2(3)
    expected = {
        "ndcg@10": {"q 1": pytest.approx(1 / math.log2(3) / ideal), "q2": 0.0},
        "rr@10": {"q 1": 0.5, "q2": 0.0},
        "recall@5": {"q 1": 0.5, "q2": 0.0},
        "recall@10": {"q 1": 0.5, "q2": 0.0},
        "recall@100": {"q 1": 1.0, "q2": 0.0},
        "section_hit@1": {"q 1": 0.0},
        "section_hit@5": {"q 1": 1.0},
        "answerable": {},
        "answer_in_evidence@8": {},
        "all_evidence@8": {},
    }
    assert values["lexical"] == expected
    full = values["full"]
    assert full["ndcg@10"] == {"q 1": pytest.approx(1.0), "q2": pytest.approx(1 / math.log2(3))}
    assert full["answerable"] == {"q 1": 1.0, "q2": 1.0}
    assert full["answer_in_evidence@8"] == {"q 1": 1.0, "q2": 0.0}
    assert full["all_evidence@8"] == {"q2": 0.0}


def test_a_page_keeps_its_rank_whatever_its_name() -> None:
    trial = Trial(
        query=TWO, outcomes={"full": outcome("a.md", "e.md", "z.md")}, repeats=frozenset(), pack=None
    )
    measured = measure_runs(DATASET, [trial])["full"]
    assert measured["rr@10"] == {"q2": 0.5}
    assert measured["answerable"] == {}


def test_the_report_has_means_differences_languages_and_levels() -> None:
    report = make_report(DATASET, TRIALS, baselines=["lexical", "full"])
    assert (report.set, report.queries, report.complete) == ("small", 2, True)
    assert report.runs["full"]["rr@10"] == 0.75
    assert report.runs["lexical"]["section_hit@5"] == 1.0
    assert report.runs["lexical"]["answer_in_evidence@8"] is None
    assert {name: list(runs) for name, runs in report.differences.items()} == {
        "lexical": ["full"],
        "full": ["lexical"],
    }
    assert report.differences["lexical"]["full"]["rr@10"].mean == 0.5
    assert report.differences["full"]["lexical"]["rr@10"].mean == -0.5
    assert "answer_in_evidence@8" not in report.differences["lexical"]["full"]
    assert report.languages["zh"].queries == 1
    assert report.languages["zh"].runs["full"]["rr@10"] == 0.5
    assert report.languages["zh"].runs["full"]["section_hit@1"] is None
    assert report.levels == {"lexical": {"lexical": 2}, "full": {"chunk": 2}}
    assert report.repeats == {"graph": 1}


def test_queries_that_were_not_tried_count_nowhere() -> None:
    report = make_report(DATASET, TRIALS[:1], baselines=["lexical"])
    assert (report.queries, report.complete) == (1, False)
    assert report.runs["full"]["rr@10"] == 1.0
    assert list(report.languages) == ["en"]


def test_the_json_has_every_measure_of_every_run() -> None:
    content = json.loads(json.dumps(to_dict(make_report(DATASET, TRIALS, baselines=["lexical"]))))
    assert {name: tuple(run) for name, run in content["runs"].items()} == {
        "lexical": MEASURES,
        "full": MEASURES,
    }
    assert content["differences"]["lexical"]["full"]["rr@10"] == {"mean": 0.5, "low": 0.5, "high": 0.5}


def test_the_table() -> None:
    bare = replace(DATASET, sections={})
    assert describe_report(make_report(bare, TRIALS, baselines=["lexical"])) == (
        "small: 2 queries\n"
        "\n"
        "run      ndcg@10  rr@10  recall@5  recall@10  recall@100\n"
        "full       0.815  0.750     1.000      1.000       1.000\n"
        "lexical    0.120  0.250     0.250      0.250       0.500\n"
        "\n"
        "graph is the same search as full for 1 of 2 queries\n"
        "\n"
        "packs: answerable 1.000, answer_in_evidence@8 0.500, all_evidence@8 0.000\n"
        "\n"
        "difference from lexical [95 % interval, paired bootstrap]\n"
        "\n"
        "run                   ndcg@10                 recall@5\n"
        "full  +0.696 [+0.631, +0.760]  +0.750 [+0.500, +1.000]\n"
        "\n"
        "ndcg@10 by language\n"
        "\n"
        "language  queries   full  lexical\n"
        "en              1  1.000    0.240\n"
        "zh              1  0.631    0.000"
    )
