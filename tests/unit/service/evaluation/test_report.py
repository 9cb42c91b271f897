"""From outcomes to figures, and how they are shown."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.warnings import Level
from service.evaluation.dataset import EvaluationSet, Query, Section
from service.evaluation.experiment import Experiment, Outcome
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


def outcome(query: Query, *pages: str, section_rank: int | None = None, level: Level = "chunk") -> Outcome:
    return Outcome(query=query, pages=pages, section_rank=section_rank, level=level)


EXPERIMENT = Experiment(
    outcomes={
        "lexical": (
            outcome(ONE, "d.md", "c.md", *FILL, "a b.md", section_rank=4, level="lexical"),
            outcome(TWO, level="lexical"),
        ),
        "full": (outcome(ONE, "a b.md", "c.md", section_rank=1), outcome(TWO, "z.md", "e.md")),
    },
    answered={"q 1": True, "q2": False},
)


def test_the_values_of_each_query() -> None:
    values = measure_runs(DATASET, EXPERIMENT)
    ideal = 2 + 1 / math.log2(3)
    expected = {
        "ndcg@10": {"q 1": pytest.approx(1 / math.log2(3) / ideal), "q2": 0.0},
        "rr@10": {"q 1": 0.5, "q2": 0.0},
        "recall@5": {"q 1": 0.5, "q2": 0.0},
        "recall@10": {"q 1": 0.5, "q2": 0.0},
        "recall@100": {"q 1": 1.0, "q2": 0.0},
        "section_hit@1": {"q 1": 0.0},
        "section_hit@5": {"q 1": 1.0},
        "answer_in_evidence@8": {},
    }
    assert values["lexical"] == expected
    full = values["full"]
    assert full["ndcg@10"] == {"q 1": pytest.approx(1.0), "q2": pytest.approx(1 / math.log2(3))}
    assert full["answer_in_evidence@8"] == {"q 1": 1.0, "q2": 0.0}


def test_a_page_keeps_its_rank_whatever_its_name() -> None:
    ranked = Experiment(outcomes={"full": (outcome(TWO, "a.md", "e.md", "z.md"),)}, answered={})
    assert measure_runs(DATASET, ranked)["full"]["rr@10"]["q2"] == 0.5


def test_the_report_has_means_differences_languages_and_levels() -> None:
    report = make_report(DATASET, EXPERIMENT, baseline="lexical")
    assert (report.set, report.queries, report.baseline) == ("small", 2, "lexical")
    assert report.runs["full"]["rr@10"] == 0.75
    assert report.runs["lexical"]["section_hit@5"] == 1.0
    assert report.runs["lexical"]["answer_in_evidence@8"] is None
    assert set(report.differences) == {"full"}
    assert report.differences["full"]["rr@10"].mean == 0.5
    assert "answer_in_evidence@8" not in report.differences["full"]
    assert report.languages["zh"].queries == 1
    assert report.languages["zh"].runs["full"]["rr@10"] == 0.5
    assert report.languages["zh"].runs["full"]["section_hit@1"] is None
    assert report.levels == {"lexical": {"lexical": 2}, "full": {"chunk": 2}}


def test_the_json_has_every_measure_of_every_run() -> None:
    content = json.loads(json.dumps(to_dict(make_report(DATASET, EXPERIMENT, baseline="lexical"))))
    assert {name: tuple(run) for name, run in content["runs"].items()} == {
        "lexical": MEASURES,
        "full": MEASURES,
    }
    assert content["differences"]["full"]["rr@10"] == {"mean": 0.5, "low": 0.5, "high": 0.5}


def test_the_table() -> None:
    bare = replace(DATASET, sections={})
    report = make_report(bare, replace(EXPERIMENT, answered={}), baseline="lexical")
    assert describe_report(report) == (
        "small: 2 queries\n"
        "\n"
        "run      ndcg@10  rr@10  recall@5  recall@10  recall@100\n"
        "lexical    0.120  0.250     0.250      0.250       0.500\n"
        "full       0.815  0.750     1.000      1.000       1.000\n"
        "\n"
        "difference from lexical [95 % interval, paired bootstrap]\n"
        "\n"
        "run                   ndcg@10                 recall@5\n"
        "full  +0.696 [+0.631, +0.760]  +0.750 [+0.500, +1.000]\n"
        "\n"
        "ndcg@10 by language\n"
        "\n"
        "language  queries  lexical   full\n"
        "en              1    0.240  1.000\n"
        "zh              1    0.000  0.631"
    )
