"""Run files."""

from pathlib import Path

from service.evaluation.dataset import EvaluationSet, Query
from service.evaluation.experiment import Outcome, Trial
from service.evaluation.trec import write_files

ONE = Query(id="q 1", text="one")
DATASET = EvaluationSet(
    name="small",
    corpus=Path("corpus"),
    queries=(ONE, Query(id="q2", text="not tried")),
    grades={"q 1": {"a b%.md": 2, "中文.md": 0}, "q2": {"c.md": 1}},
    sections={},
    answers={},
)


def test_ids_have_no_blanks_and_scores_keep_the_order(tmp_path: Path) -> None:
    outcome = Outcome(pages=("中文.md", "a b%.md"), section_rank=None, level="chunk")
    trial = Trial(query=ONE, outcomes={"full": outcome}, repeats=frozenset(), pack=None)
    write_files(tmp_path / "new" / "runs", DATASET, [trial])
    read = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "new" / "runs").iterdir()}
    assert read == {
        "full.trec": "q%201 Q0 中文.md 1 -1 full\nq%201 Q0 a%20b%25.md 2 -2 full\n",
        "qrels.txt": "q%201 0 a%20b%25.md 2\nq%201 0 中文.md 0\n",
    }
