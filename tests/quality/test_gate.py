"""The real pipeline with the packaged model, on the set in this folder, keeps its floors."""

import json
from pathlib import Path

from click.testing import CliRunner

from service.cli import main
from service.evaluation.answers import normalise
from service.evaluation.dataset import read_set
from service.evaluation.runs import RUNS, default_runs

HERE = Path(__file__).parent
SET = HERE / "set"


def test_the_set_keeps_its_floors() -> None:
    words = ["eval", str(SET), "--gate", str(HERE / "gate.toml"), "--json"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert tuple(report["runs"]) == default_runs(with_model=True)
    assert report["levels"] == {name: {RUNS[name].level: 15} for name in report["runs"]}


def test_judged_sections_begin_at_their_heading_and_hold_their_evidence() -> None:
    dataset = read_set(SET)
    headings = [line.split("\t")[2] for line in read_lines(SET / "qrels_sections.tsv")[1:]]
    judged = [(query, section) for query in dataset.queries for section in dataset.sections[query.id]]
    for (query, section), heading in zip(judged, headings, strict=True):
        lines = read_lines(dataset.corpus / section.page)[section.first_line - 1 : section.last_line]
        assert lines[0] == f"## {heading}"
        answer = dataset.answers[query.id]
        assert [source.text for source in answer.sources] == ["\n".join(lines[2:])]
        assert all(normalise(text) in normalise(answer.sources[0].text) for text in answer.texts)


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
