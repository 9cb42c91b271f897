"""`wikitrail eval` over a small set, by words alone."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from service.cli import main
from service.evaluation.measures import MEASURES

HEADINGS = "query-id\tcorpus-id\tscore\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "small"
    (folder / "corpus" / "ops").mkdir(parents=True)
    (folder / "corpus" / "ops" / "deploy.md").write_text(
        "# Deploy\n\nzorbship\n\n## Rollback\n\nRun zorbback.\n"
    )
    (folder / "corpus" / "home.md").write_text("# Home\n\nzorbship is explained elsewhere.\n")
    (folder / "queries.jsonl").write_text(
        '{"id": "a", "text": "zorbback", "lang": "en"}\n{"id": "b", "text": "nowhere", "lang": "de"}\n'
    )
    (folder / "qrels.tsv").write_text(f"{HEADINGS}a\tops/deploy.md\t1\nb\thome.md\t1\n")
    (folder / "qrels_sections.tsv").write_text(
        "query-id\tcorpus-id\theading\tfirst-line\tlast-line\na\tops/deploy.md\tRollback\t5\t7\n"
    )
    source = {"page": "ops/deploy.md", "text": "Run zorbback."}
    answer = {"id": "a", "answers": ["Run zorbback"], "evidence": [source]}
    (folder / "evidence.jsonl").write_text(json.dumps(answer))
    return folder


def run(folder: Path, *words: object) -> Result:
    return CliRunner().invoke(main, ["eval", str(folder), "--embedder", "none", *map(str, words)])


def run_json(folder: Path, *words: object) -> Any:
    result = run(folder, *words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_the_report_has_the_agreed_shape(folder: Path) -> None:
    report = run_json(folder)
    assert (report["set"], report["queries"], report["complete"]) == ("small", 2, True)
    assert {name: tuple(run) for name, run in report["runs"].items()} == {
        "lexical": MEASURES,
        "full": MEASURES,
    }
    full = report["runs"]["full"]
    assert (full["ndcg@10"], full["recall@100"], full["section_hit@1"]) == (0.5, 0.5, 1.0)
    assert (full["answer_in_evidence@8"], full["all_evidence@8"], full["answerable"]) == (1.0, 1.0, 0.5)
    assert report["languages"]["en"]["runs"]["lexical"]["rr@10"] == 1.0
    assert report["languages"]["de"]["runs"]["lexical"]["rr@10"] == 0.0
    assert report["differences"]["lexical"]["full"]["ndcg@10"] == {"mean": 0.0, "low": 0.0, "high": 0.0}


def test_people_get_a_table_and_are_told_what_was_not_measured(folder: Path) -> None:
    result = run(folder)
    assert result.exit_code == 0
    assert result.stdout.startswith("small: 2 queries\n\nrun      ndcg@10")
    assert "run full: 2 of 2 queries answered at level lexical, not chunk" in result.stderr


def test_nothing_is_left_behind_and_an_index_that_is_named_is_used_again(
    folder: Path, tmp_path: Path
) -> None:
    before = set(tmp_path.rglob("*"))
    run_json(folder, "--run", "lexical")
    assert set(tmp_path.rglob("*")) == before
    first = run(folder, "--run", "lexical", "--index", tmp_path / "kept")
    again = run(folder, "--run", "lexical", "--index", tmp_path / "kept")
    assert ("2 added" in first.stderr, "2 unchanged" in again.stderr) == (True, True)
    assert first.stdout == again.stdout


def test_baselines_are_run_too(folder: Path) -> None:
    report = run_json(folder, "--run", "words", "--baseline", "full", "--baseline", "lexical")
    assert list(report["runs"]) == ["full", "lexical", "words"]
    assert {name: list(runs) for name, runs in report["differences"].items()} == {
        "full": ["lexical", "words"],
        "lexical": ["full", "words"],
    }


def test_run_files(folder: Path, tmp_path: Path) -> None:
    run_json(folder, "--run", "lexical", "--run-files", tmp_path / "runs")
    assert (tmp_path / "runs" / "lexical.trec").read_text() == "a Q0 ops/deploy.md 1 -1 lexical\n"
    assert (tmp_path / "runs" / "qrels.txt").read_text() == "a 0 ops/deploy.md 1\nb 0 home.md 1\n"
    (tmp_path / "file").write_text("")
    failed = run(folder, "--run-files", tmp_path / "file" / "runs")
    assert (failed.exit_code, "cannot write the run files" in failed.stderr) == (1, True)


def test_the_gate_names_each_measure_below_its_floor(folder: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate.toml"
    gate.write_text('[full]\n"ndcg@10" = 0.5\n')
    assert run(folder, "--gate", gate).exit_code == 0
    gate.write_text('[full]\n"ndcg@10" = 0.6\n"rr@10" = 0.4\n[dense]\n"rr@10" = 0.1\n')
    result = run(folder, "--gate", gate, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["runs"]["full"]["ndcg@10"] == 0.5
    told = [line for line in result.stderr.split("\n") if "floor" in line]
    assert told == [
        "wikitrail: ndcg@10 of run full is 0.5000; its floor is 0.6",
        "wikitrail: rr@10 of run dense was not measured; its floor is 0.1",
    ]


def test_a_corpus_that_cannot_be_indexed_whole_exits_3(folder: Path) -> None:
    (folder / "corpus" / "bad.md").write_bytes(b"\x00\xff\xfe\x00binary\x00\xff")
    result = run(folder)
    assert (result.exit_code, "bad.md" in result.stderr) == (3, True)


def test_a_wrong_set_or_gate_is_told_before_anything_is_indexed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text('[best]\n"ndcg@10" = 1\n')
    result = run(folder, "--gate", tmp_path / "gate.toml", "--json")
    assert (result.exit_code, json.loads(result.stdout)["code"]) == (1, "invalid-gate")
    (folder / "qrels.tsv").write_text(f"{HEADINGS}a\tgone.md\t1\n")
    result = run(folder, "--json")
    assert (result.exit_code, json.loads(result.stdout)["code"]) == (1, "invalid-set")
    assert "qrels.tsv:2: `corpus-id`: there is no page 'gone.md'" in result.stderr
    assert "generation" not in result.stderr
