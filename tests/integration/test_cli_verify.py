"""`wikitrail verify`: what it reads, what it prints, how it ends."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from service.cli import main

PAGE = "# Deploy\n\nzorbship\n\n## Rollback\n\nRun zorbback twice and wait for the keeper.\n"
QUOTED = "Run zorbback twice and wait for the keeper."


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "wiki"
    root.mkdir()
    (root / "deploy.md").write_text(PAGE)
    assert run("index", root).exit_code == 0
    return root


def run(*words: object, given: str | None = None) -> Result:
    arguments = [*map(str, words), "--embedder", "none"]
    return CliRunner().invoke(main, arguments, input=given)


def search(root: Path) -> str:
    return run("search", root, "zorbback keeper", "--json").stdout


def test_pack_from_standard_input_holds(root: Path) -> None:
    result = run("verify", root, "-", given=search(root))
    assert result.exit_code == 0
    assert "ok        deploy.md:5-7" in result.stdout
    assert result.stdout.endswith("\n1 ok\n")


def test_moved_is_as_good_as_ok(root: Path) -> None:
    pack = search(root)
    (root / "deploy.md").write_text("Above.\n\n" + PAGE)
    result = run("verify", root, "-", given=pack)
    assert result.exit_code == 0
    assert "moved     deploy.md:7-9  it stands in lines 7 to 9 now" in result.stdout


@pytest.mark.parametrize("lost", ["changed", "deleted"])
def test_what_is_lost_ends_in_failure(root: Path, lost: str) -> None:
    pack = search(root)
    if lost == "changed":
        (root / "deploy.md").write_text("# Deploy\n")
    else:
        (root / "deploy.md").unlink()
        (root / "other.md").write_text("# Other\n")
    result = run("verify", root, "-", "--json", given=pack)
    assert result.exit_code == 1
    assert json.loads(result.stdout)["counts"][lost] == 1


def test_citations_in_a_file_are_verified(root: Path, tmp_path: Path) -> None:
    citations = [item["citation"] for item in json.loads(search(root))["evidence"]]
    (tmp_path / "citations.json").write_text(json.dumps(citations))
    result = run("verify", root, "citations.json", "--json")
    assert (result.exit_code, json.loads(result.stdout)["counts"]["ok"]) == (0, 1)


def test_quotations_of_a_text_are_shown_with_their_lines(root: Path, tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_text(f"So:\n\n“{QUOTED}” (deploy.md:7)\n")
    result = run("verify", root, "answer.md")
    assert result.exit_code == 0
    assert f"line 3: {QUOTED}" in result.stdout


def test_what_cannot_be_told_is_partial(root: Path) -> None:
    result = run("verify", root, "-", given="“Nobody wrote a thing like this.”")
    assert (result.exit_code, "unknown" in result.stdout) == (3, True)


@pytest.mark.parametrize("given", ['"a text"', "12", "{}", '{"a": 1}', "[" * 100_000, "{", "nothing quoted"])
def test_other_json_is_a_text(root: Path, given: str) -> None:
    result = run("verify", root, "-", given=given)
    assert (result.exit_code, result.stdout) == (0, "nothing to verify\n")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("[1]", "citations.0"),
        ('[{"path": 7}]', "citations.0.path"),
        ('{"evidence": [1]}', "evidence: not that of a pack"),
        ("", "text"),
    ],
)
def test_wrong_input_is_wrong_usage(root: Path, given: str, message: str) -> None:
    result = run("verify", root, "-", given=given)
    assert (result.exit_code, message in result.stderr) == (2, True)


def test_file_that_is_not_there_is_wrong_usage(root: Path) -> None:
    result = run("verify", root, "none.json")
    assert (result.exit_code, "none.json cannot be read" in result.stderr) == (2, True)
