"""The child as a process: it takes one task, prints nothing but messages, and ends with its input."""

import subprocess
import sys
from pathlib import Path

from fakes import FakeEmbedder
from runs import run_command

from service.jobs.child import MAX_LISTED
from service.jobs.job import JobError, JobMode, JobProgress
from service.jobs.messages import Done, Message, Task, read_message, write_task
from service.jobs.process import CHILD
from service.settings import Settings


def run(root: Path, mode: JobMode = "incremental", *, command: list[str] | None = None) -> list[Message]:
    task = Task(
        settings=Settings(wikis={"w": {"root": root}}, embedder="none"), wiki="w", mode=mode, paths=()
    )
    with subprocess.Popen(
        command or run_command(FakeEmbedder()), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(write_task(task))
        child.stdin.flush()
        said = [read_message(line) for line in child.stdout]
        assert child.wait() == 0
    return said


def test_it_tells_of_every_phase_and_then_its_report(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\ntext\n")
    *progress, last = run(tmp_path)
    assert isinstance(last, Done)
    assert last.report["pages"]["added"] == 1
    phases = [message.phase for message in progress if isinstance(message, JobProgress)]
    assert list(dict.fromkeys(phases)) == ["read", "link", "embed"]
    assert progress[-1] == JobProgress(phase="embed", done=1, total=1)


def test_a_report_lists_no_more_than_so_much(tmp_path: Path) -> None:
    for number in range(MAX_LISTED + 5):
        (tmp_path / f"{number}.md").write_text(f"# {number}\n")
        (tmp_path / f"link{number}.md").symlink_to("nowhere.md")
    last = run(tmp_path, "dry-run")[-1]
    assert isinstance(last, Done)
    assert last.report["pages"]["added"] == MAX_LISTED + 5
    assert len(last.report["changes"]["added"]) == len(last.report["issues"]) == MAX_LISTED


def test_the_command_of_the_service_needs_no_module_of_the_folder_it_starts_in(tmp_path: Path) -> None:
    for name in ("service", "chunking", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken from the wiki')\n")
    assert CHILD[0] == sys.executable
    command = [
        sys.executable,
        "-c",
        f"import os; os.chdir({str(tmp_path)!r}); os.execv({CHILD[0]!r}, {list(CHILD)!r})",
    ]
    last = run(tmp_path, command=command)[-1]
    assert isinstance(last, Done), last


def test_an_error_is_told_in_words_for_everybody(tmp_path: Path) -> None:
    assert run(tmp_path / "secret-place" / "gone") == [
        JobError(code="root-unavailable", message="The wiki's folder cannot be read.")
    ]


def test_it_ends_with_its_input() -> None:
    with subprocess.Popen(
        run_command(FakeEmbedder()), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        child.stdin.close()
        assert child.wait() == 1
