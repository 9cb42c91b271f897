"""What service and child say to each other."""

from pathlib import Path

import pytest

from service.jobs.job import JobError, JobProgress
from service.jobs.messages import Done, Message, Task, read_message, read_task, write_message, write_task
from service.settings import Settings

SECRETS = {"api_token": "sk-read", "admin_token": "sk-admin"}
LLM = {"base_url": "https://host/v1", "model": "m", "api_key": "sk-llm"}


def make_task(**settings: object) -> Task:
    given = Settings(**{"wikis": {"ops": {"root": "/srv/Übersicht", "exclude": ["x/"]}}, **settings})
    return Task(
        settings=given, wiki="ops", mode="full", paths=("a b.md", "l\ni\u2028ne"), request_id="of-the-request"
    )


def test_a_task_arrives_as_it_was_sent_but_for_every_secret() -> None:
    line = write_task(make_task(**SECRETS, llm=LLM))
    assert b"sk-" not in line
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    task = read_task(line)
    assert (task.wiki, task.mode, tuple(task.paths)) == ("ops", "full", ("a b.md", "l\ni\u2028ne"))
    assert task.request_id == "of-the-request"
    assert task.settings.wikis["ops"].root == Path("/srv/Übersicht")
    assert task.settings.model_dump() == make_task().settings.model_dump()


def test_a_child_takes_its_settings_from_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    line = write_task(make_task())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wikitrail.toml").write_text('embedder = "none"\n')
    monkeypatch.setenv("WIKITRAIL_WIKIS__ops__BASE_URL", "https://elsewhere/")
    monkeypatch.setenv("WIKITRAIL_INDEX__KEEP_GENERATIONS", "9")
    settings = read_task(line).settings
    assert settings.wikis["ops"].base_url is None
    assert (settings.embedder, settings.index.keep_generations) == ("minilm", 3)


@pytest.mark.parametrize(
    "message",
    [
        JobProgress(phase="embed", done=64, total=300),
        Done(report={"status": "ok", "issues": [{"path": "li\nne\udcff.md"}]}),
        JobError(code="index-busy", message="Another run writes the index."),
    ],
)
def test_a_message_is_a_line_that_reads_back(message: Message) -> None:
    line = write_message(message)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert read_message(line) == message
