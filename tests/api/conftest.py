"""A service over a small wiki, as its clients see it."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fakes import FakeEmbedder
from fastapi.testclient import TestClient

from service.http.app import create_app
from service.settings import Settings
from service.wiring import Application

PAGES = {
    "index.md": "# Home\n\nStart with [[deploy]]; [[ghost]] is not written yet.\n",
    "ops/deploy.md": (
        "---\ntags: [runbook]\nowner: ada\n---\n# Deploy\n\nIt ships the zorbship.\n\n"
        "## Rollback\n\nRun zorbback twice.\n\n### Afterwards\n\nTell everybody.\n"
    ),
    "ops-old/deploy.md": "# Old deploy\n\nIt shipped the zorbship by hand.\n",
    "li\nne #1 100%.md": "# Odd name\n\nzorbodd\n",
    "links.md": "# Links\n\nA page of this name.\n",
}


def write_pages(root: Path, pages: dict[str, str]) -> None:
    for path, text in pages.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


@pytest.fixture(scope="package")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with PAGES and their index."""
    root = tmp_path_factory.mktemp("secret-place") / "wiki"
    write_pages(root, PAGES)
    settings = Settings(wikis={"default": {"root": root}})
    asyncio.run(Application(settings, embedder=FakeEmbedder()).indexer().run())
    return root


@pytest.fixture
def serve(wiki: Path) -> Iterator[Callable[..., TestClient]]:
    """Makes a client of a service with these settings, which are those of the wiki unless said otherwise."""
    clients: list[TestClient] = []

    def serve_settings(embedder: FakeEmbedder | None = None, **settings: object) -> TestClient:
        given = Settings(**{"wikis": {"default": {"root": wiki}}, **settings})
        app = create_app(Application(given, embedder=embedder or FakeEmbedder()))
        clients.append(TestClient(app, raise_server_exceptions=False).__enter__())
        return clients[-1]

    yield serve_settings
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def client(serve: Callable[..., TestClient]) -> TestClient:
    """A client of a service over the wiki."""
    return serve()
