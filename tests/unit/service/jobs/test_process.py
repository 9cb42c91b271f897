"""What a child process is given."""

import json
import sys

import pytest

from service.jobs.messages import Task
from service.jobs.process import RunProcess
from service.settings import GivenSettings

pytestmark = pytest.mark.anyio

SHOW_ENVIRONMENT = "import json, os, sys; json.dump(dict(os.environ), sys.stderr); sys.stdin.read(1)"


async def test_a_child_has_the_environment_without_our_settings(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("WIKITRAIL_ADMIN_TOKEN", "WIKITRAIL_LLM__API_KEY", "wikitrail_api_token", "ZORB"):
        monkeypatch.setenv(name, "zorb")
    task = Task(settings=GivenSettings(), wiki="default", mode="full", paths=(), request_id=None)
    process = await RunProcess.start((sys.executable, "-c", SHOW_ENVIRONMENT), task)
    assert await process.close() == 0
    environment = json.loads(capfd.readouterr().err)
    assert [name for name, value in environment.items() if value == "zorb"] == ["ZORB"]
    assert "PATH" in environment
