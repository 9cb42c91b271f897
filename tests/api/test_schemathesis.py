"""Requests made from the OpenAPI document, good and bad: no 5xx, and every answer is as it says."""

import asyncio
from pathlib import Path

from served import TOKEN, run_schemathesis, serving

from service.settings import Settings
from service.wiring import Application

BOUNDS = ("--phases", "examples,coverage,fuzzing", "--max-examples", "10", "--seed", "1", "--no-shrink")


def test_every_route_answers_as_documented(tmp_path: Path) -> None:
    (tmp_path / "ops").mkdir()
    (tmp_path / "index.md").write_text("# Home\n\nStart with [[deploy]].\n", encoding="utf-8")
    (tmp_path / "ops" / "deploy.md").write_text("# Deploy\n\n## Rollback\n\nTwice.\n", encoding="utf-8")
    settings = Settings(wikis={"default": {"root": tmp_path}}, embedder="none")
    asyncio.run(Application(settings).indexer().run())
    with serving(tmp_path, "--embedder", "none", WIKITRAIL_API_TOKEN=TOKEN) as service:
        result = run_schemathesis(service.address, *BOUNDS)
    assert result.returncode == 0, result.stdout[-20_000:]
