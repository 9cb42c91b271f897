"""The command line over a real index."""

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from service.cli import main
from service.wire.pack import EvidenceAnswer

COMMANDS = ["index", "search", "verify", "serve", "status", "inspect", "eval", "tune", "purge", "demo"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "wiki"
    root.mkdir()
    (root / "index.md").write_text("# Home\n\nSee [[deploy#Rollback|how]] and [[ghost]].\n")
    (root / "deploy.md").write_text("# Deploy\n\nzorbship\n\n## Rollback\n\nRun zorbback.\n")
    return root


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def run_json(*words: object) -> Any:
    result = run(*words, "--embedder", "none", "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture
def indexed(root: Path) -> Path:
    run_json("index", root)
    return root


def test_index_reports_in_the_agreed_shape(root: Path) -> None:
    report = run_json("index", root)
    assert report["status"] == "ok"
    assert report["pages"] == {
        "total": 2,
        "added": 2,
        "changed": 0,
        "moved": 0,
        "deleted": 0,
        "unchanged": 0,
        "failed": 0,
    }
    assert {"total", "embedded", "reused"} <= set(report["chunks"])
    assert report["links"] == {"resolved": 1, "unresolved": 1}
    assert (report["issues"], report["generation"]) == ([], 1)
    again = run_json("index", root)
    assert (again["generation"], again["pages"]["unchanged"]) == (1, 2)
    assert run_json("index", root, "--full")["generation"] == 2


def test_a_run_with_issues_of_pages_exits_3(root: Path) -> None:
    (root / "bad.md").write_bytes(b"\x00\xff\xfe\x00binary\x00\xff")
    result = run("index", root, "--embedder", "none", "--json")
    report = json.loads(result.stdout)
    assert (result.exit_code, report["status"], report["pages"]["failed"]) == (3, "partial", 1)
    assert [issue["path"] for issue in report["issues"]] == ["bad.md"]
    assert run("status", root).exit_code == 3
    shown = run("index", root, "--embedder", "none")
    assert (shown.exit_code, "bad.md" in shown.stdout) == (3, True)


def test_an_empty_folder_does_not_empty_the_index_unless_allowed(indexed: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    run_json("index", indexed, "--index", index)
    for file in indexed.rglob("*.md"):
        file.unlink()
    shutil.rmtree(indexed / ".wikitrail")
    refused = run("index", indexed, "--index", index, "--embedder", "none", "--json")
    assert (refused.exit_code, json.loads(refused.stdout)["code"]) == (1, "root-empty")
    assert run_json("index", indexed, "--index", index, "--allow-empty")["pages"]["deleted"] == 2


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    result = run("index", tmp_path / "typo", "--embedder", "none", "--json")
    assert (result.exit_code, json.loads(result.stdout)["code"]) == (1, "root-unavailable")
    assert not (tmp_path / "typo").exists()


def test_search_by_folder_by_index_and_in_the_current_folder(
    indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_folder = EvidenceAnswer.model_validate(run_json("search", indexed, "zorbback"))
    assert by_folder.evidence[0].citation.heading_path == ["Deploy", "Rollback"]
    assert by_folder.evidence[0].citation.freshness == "fresh"
    by_index = EvidenceAnswer.model_validate(
        run_json("search", "zorbback", "--index", indexed / ".wikitrail")
    )
    assert by_index.evidence[0].citation.freshness == "unknown"
    monkeypatch.chdir(indexed)
    here = EvidenceAnswer.model_validate(run_json("search", "zorbback"))
    assert here.pack_id == by_folder.pack_id == by_index.pack_id


def test_search_shows_passages_with_their_lines_and_warnings(indexed: Path) -> None:
    result = run("search", indexed, "zorbback", "--embedder", "none")
    assert result.exit_code == 0
    assert result.stdout.startswith("1  deploy.md:5-7  Deploy > Rollback  ")
    assert "    Run zorbback." in result.stdout
    assert "\nwarning: " in result.stdout


def test_search_takes_the_fields_of_a_request(indexed: Path) -> None:
    filters = '{"type": "eq", "key": "path", "value": "index.md"}'
    pack = run_json("search", indexed, "deploy", "-k", 1, "--filters", filters, "--mode", "lexical")
    assert [passage["citation"]["path"] for passage in pack["evidence"]] == ["index.md"]
    assert pack["warnings"] == []


@pytest.mark.parametrize(
    "words",
    [
        ["search"],
        ["search", "a", "b", "c"],
        ["search", " "],
        ["search", "x", "-k", "0"],
        ["search", "x", "--filters", "{"],
        ["search", "x", "--filters", "[" * 100_000],
        ["inspect", "page", "bad\udcff.md"],
        ["inspect", "links", "bad\udcff.md"],
        ["search", "x", "--max-tokens", "1"],
        ["search", "x", "--bogus"],
        ["inspect", "chunks"],
        ["nope"],
        ["serve", "--port", "70000"],
    ],
)
def test_wrong_usage_exits_2_and_prints_nothing(words: list[str]) -> None:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error: " in result.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["search", "x", "--index", "none"], "index-missing"),
        (["inspect", "page", "x.md", "--index", "none"], "index-missing"),
        (["purge", "--index", "none"], "index-missing"),
        (["search", "x", "--wiki", "none"], "wiki-not-found"),
        (["index", "--index", "none"], "folder-unknown"),
        (["index", ".", "--index", "bad\udcff"], "index-unavailable"),
        (["index", ".", "--embedder", "no-such-folder"], "embedder-failed"),
        (["search", "x", "--settings", "none.toml"], "invalid-settings"),
        (["search", "x", "--filters", '{"type": "zz"}'], "invalid-filter"),
    ],
)
def test_a_failure_is_one_line_for_people_and_an_object_for_programs(words: list[str], code: str) -> None:
    result = run(*words, "--json")
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert (answer["status"], answer["code"]) == ("error", code)
    assert result.stderr == f"wikitrail: {answer['detail']}\n"


def test_inspect_shows_chunks_links_and_pages_in_the_agreed_shapes(indexed: Path) -> None:
    chunks = run_json("inspect", "chunks", "deploy.md", "--index", indexed / ".wikitrail")
    assert [set(chunk) for chunk in chunks] == [
        {
            *("chunk_id", "heading_path", "anchor", "line_start", "line_end", "char_start", "char_end"),
            *("text", "tokens"),
        }
    ] * 2
    assert [(chunk["heading_path"], chunk["line_start"], chunk["line_end"]) for chunk in chunks] == [
        (["Deploy"], 1, 3),
        (["Deploy", "Rollback"], 5, 7),
    ]
    links = run_json("inspect", "links", indexed, "index.md")
    assert links[0] == {
        "line": 3,
        "kind": "wikilink",
        "target": "deploy#Rollback",
        "status": "resolved",
        "page": "deploy.md",
        "heading_path": ["Deploy", "Rollback"],
        "block": None,
        "alias": "how",
        "candidates": [],
        "target_line": 5,
    }
    page = run_json("inspect", "page", indexed, "deploy.md")
    assert page["text"] == (indexed / "deploy.md").read_text()
    missing = run("inspect", "page", indexed, "nope.md", "--json")
    assert json.loads(missing.stdout)["code"] == "page-not-found"


def test_status_and_purge(indexed: Path) -> None:
    (wiki,) = run_json("status", indexed)["wikis"]
    assert (wiki["state"], wiki["counts"]["pages"], wiki["build"]["model"]) == ("ready", 2, None)
    purged = run_json("purge", indexed)
    assert (purged["status"], purged["generation"]) == ("ok", 2)
    assert "generation 2 " in run("status", indexed).stdout
    missing = run("status", "--index", "none")
    assert (missing.exit_code, missing.stdout) == (1, "default: index-missing; run `wikitrail index`\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    if command == "inspect":
        result = run(command, "chunks", "--help")
    assert f"Example: wikitrail {command}" in " ".join(result.stdout.split())
    for option in ("--index", "--embedder", "--settings", "--wiki", "--json"):
        assert option in result.stdout
    assert command in run("--help").stdout


def imported(*words: str) -> set[str]:
    """Returns which of the heavy libraries a command imports, in a process of its own."""
    script = (
        "import sys\nfrom service.cli import main\n"
        f"try:\n    main({list(words)!r}, standalone_mode=False)\nexcept SystemExit:\n    pass\n"
        "print(*[m for m in ('lancedb', 'torch', 'sentence_transformers', 'fastapi') if m in sys.modules],"
        " file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(result.stderr.split())


def test_help_waits_for_no_library_and_search_for_no_model(indexed: Path) -> None:
    assert imported("--help") == set()
    assert imported("search", str(indexed), "zorbback", "--json") == {"lancedb"}


def wikitrail(*words: object, **options: Any) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", "from service.cli import main; main()", *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_demo_asks_a_real_service_writes_nothing_into_the_wiki_and_ends(root: Path) -> None:
    before = sorted(root.rglob("*"))
    query = 'where is "zorbback", it\'s late?'
    with wikitrail("demo", root, "--query", query, "--embedder", "none", "--json") as demo:
        stdout, stderr = demo.communicate(timeout=60)
    assert demo.returncode == 0, stderr
    pack = EvidenceAnswer.model_validate_json(stdout)
    assert (pack.query, pack.evidence[0].citation.path) == (query, "deploy.md")
    assert "/v1/pages/deploy.md#rollback" in stderr
    assert sorted(root.rglob("*")) == before


def test_demo_of_the_sample_wiki_finds_an_answer() -> None:
    with wikitrail("demo", "--embedder", "none", "--json") as demo:
        stdout, stderr = demo.communicate(timeout=60)
    assert demo.returncode == 0, stderr
    assert json.loads(stdout)["answerable"]


def test_serve_tells_its_address_answers_and_stops_when_told(indexed: Path) -> None:
    with wikitrail("serve", indexed, "--port", 0, "--embedder", "none", "--json") as server:
        try:
            assert server.stdout is not None
            started = json.loads(server.stdout.readline())
            with urllib.request.urlopen(f"{started['address']}/v1/status", timeout=30) as answer:
                status = json.load(answer)
        finally:
            server.send_signal(signal.SIGINT)
            _, stderr = server.communicate(timeout=30)
    assert status["wikis"][0]["counts"]["pages"] == 2
    assert server.returncode == 0
    assert stderr == f"wikitrail serves default at {started['address']}\n"


def test_the_environment_goes_before_the_file_and_a_flag_before_both(root: Path, tmp_path: Path) -> None:
    (tmp_path / "wikitrail.toml").write_text(f'embedder = "of-file"\n[wikis.default]\nroot = "{root}"\n')
    variables = {**os.environ, "WIKITRAIL_EMBEDDER": "of-environment"}
    for flags, named in (((), "of-environment"), (("--embedder", "of-flag"), "of-flag")):
        with wikitrail("index", *flags, env=variables, cwd=tmp_path) as run_index:
            _, stderr = run_index.communicate(timeout=60)
        assert stderr.startswith(f"wikitrail: {named} is not the folder of")


def test_a_dry_run_lists_the_changes_and_writes_nothing(indexed: Path, root: Path) -> None:
    (root / "new.md").write_text("# New\n")
    (root / "index.md").unlink()
    preview = run_json("index", root, "--dry-run")
    assert preview["changes"] == {"added": ["new.md"], "changed": [], "moved": [], "deleted": ["index.md"]}
    assert (preview["status"], preview["generation"], preview["rebuild"]) == ("ok", 1, False)
    assert run_json("index", root, "--dry-run", "--full")["rebuild"]
    shown = run("index", root, "--dry-run", "--embedder", "none").stdout
    assert "  added    new.md\n" in shown
    assert "2 pages after a run (1 added, 1 deleted, 1 unchanged), in the index" in shown
    assert run_json("status", root)["wikis"][0]["generation"] == 1


@pytest.mark.parametrize("words", [["index"], ["index", "--dry-run"], ["demo"]])
def test_a_name_commands_no_terminal_and_stays_on_its_line(root: Path, words: list[str]) -> None:
    (root / "\x1b[31m\nred.md").write_text("# Red\n")
    (root / "\x1b[31m\nnowhere.md").symlink_to("none")
    result = run(*words, root, "--embedder", "none")
    assert "dangling-symlink" in result.output
    assert "\x1b" not in result.output
    assert not [line for line in result.output.splitlines() if line.startswith(("red", "nowhere"))]


def test_a_run_is_bounded_to_paths(indexed: Path, root: Path) -> None:
    (root / "ops").mkdir()
    for name in ("new.md", "ops/a.md", "ops/b.md"):
        (root / name).write_text("# New\n")
    report = run_json("index", root, "--path", "ops/", "--path", "deploy.md")
    assert (report["pages"]["added"], report["pages"]["total"]) == (2, 4)
    refused = run("index", root, "--path", "../elsewhere", "--embedder", "none")
    assert (refused.exit_code, "'--path': '../elsewhere' is no path inside" in refused.stderr) == (2, True)
