"""Whatever breaks, no answer tells of this machine, of the code, or of what a library said."""

import asyncio
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeEmbedder
from fastapi.testclient import TestClient

from service.http.app import create_app
from service.settings import Settings
from service.wiring import Application

TOKEN = "t0ken"
PAGES = {"index.md": "# Home\n\nStart with [[deploy]].\n", "ops/deploy.md": "# Deploy\n\nTwice.\n"}
SECRETS = ("traceback", "site-packages", ".py", "lance", "arrow", "rust", "os error", "errno", TOKEN, "0x")
REQUESTS: list[tuple[str, str, Any]] = [
    ("POST", "/v1/evidence", {"query": "deploy"}),
    ("POST", "/v1/evidence", {"query": "deploy", "mode": "lexical", "generation": 1}),
    ("GET", "/v1/pages/index.md", None),
    ("GET", "/v1/pages/index.md/links", None),
    ("GET", "/v1/pages/../../etc/passwd", None),
    ("POST", "/v1/pages/read", {"pages": [{"path": "index.md"}, {"path": "nope.md"}]}),
    ("POST", "/v1/verify", {"text": "“Twice.” (ops/deploy.md:3-3)"}),
    ("GET", "/v1/status", None),
    ("GET", "/readyz", None),
    ("GET", "/healthz", None),
    ("GET", "/metrics", None),
    ("GET", "/openapi.json", None),
    ("GET", "/v1/admin/generations", None),
    ("POST", "/v1/admin/generations/1/activate", None),
    ("GET", "/v1/admin/jobs", None),
    ("GET", "/v1/admin/jobs/nope/events", None),
    ("POST", "/v1/admin/reindex", {"mode": "dry-run", "paths": ["/etc/"]}),
    ("POST", "/v1/admin/reindex", {}),
]


def remove(root: Path) -> None:
    shutil.rmtree(root / ".wikitrail")


def replace_by_file(root: Path) -> None:
    remove(root)
    (root / ".wikitrail").write_text("no index")


def empty(root: Path) -> None:
    for file in files(root):
        file.write_bytes(b"")


def scramble(root: Path) -> None:
    chance = random.Random(7)
    for file in files(root):
        file.write_bytes(chance.randbytes(file.stat().st_size))


def cut(root: Path) -> None:
    for file in files(root):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def remove_data(root: Path) -> None:
    for file in files(root):
        if "data" in file.parts:
            file.unlink()


def remove_all(root: Path) -> None:
    shutil.rmtree(root)


def files(root: Path) -> list[Path]:
    return [file for file in sorted((root / ".wikitrail").rglob("*")) if file.is_file()]


FAULTS = (remove, replace_by_file, empty, scramble, cut, remove_data, remove_all)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A wiki with its index."""
    root = tmp_path / "secret-place" / "wiki"
    for path, text in PAGES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    asyncio.run(Application(settings_of(root), embedder=FakeEmbedder()).indexer().run())
    return root


def settings_of(root: Path) -> Settings:
    return Settings(wikis={"default": {"root": root}}, admin_token=TOKEN, api_token=TOKEN, embedder="none")


def serve(root: Path) -> Iterator[TestClient]:
    app = create_app(Application(settings_of(root), embedder=FakeEmbedder()))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with TestClient(app, raise_server_exceptions=False, headers=headers) as client:
        yield client


def check_answers(client: TestClient) -> None:
    for method, path, body in REQUESTS:
        answer = client.request(method, path, json=body)
        told = f"{answer.headers} {answer.text}".lower()
        assert [secret for secret in (*SECRETS, "secret-place", "/tmp/") if secret in told] == [], (
            path,
            told,
        )
        assert answer.status_code in (200, 202, 404, 409, 422, 503), (path, told)


@pytest.mark.parametrize("when", ["before it is opened", "under a service"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_broken_index(root: Path, fault: Callable[[Path], None], when: str) -> None:
    for client in serve(root):
        if when == "under a service":
            check_answers(client)
        fault(root)
        check_answers(client)


def test_a_whole_index(root: Path) -> None:
    for client in serve(root):
        check_answers(client)


def test_a_link_out_of_the_wiki_leads_nowhere(root: Path) -> None:
    """Neither when it is indexed nor when a page becomes one under the service."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "passwords.md").write_text("# Deploy\n\nTwice hunter2.\n", encoding="utf-8")
    (root / "linked.md").symlink_to(outside / "passwords.md")
    (root / "folder").symlink_to(outside, target_is_directory=True)
    asyncio.run(Application(settings_of(root), embedder=FakeEmbedder()).indexer().run())
    for client in serve(root):
        for _ in range(2):
            for path in ("linked.md", "folder/passwords.md", "ops/../../outside/passwords.md"):
                assert client.get(f"/v1/pages/{path}").status_code == 404
            for text in ("“Twice hunter2.” (ops/deploy.md:3-3)", "“Twice hunter2.” (linked.md:3-3)"):
                results = client.post("/v1/verify", json={"text": text}).json()["results"]
                assert [result["status"] for result in results if result["status"] == "ok"] == []
            pack = client.post("/v1/evidence", json={"query": "Deploy Twice"}).json()
            assert not [entry for entry in pack["evidence"] if "hunter2" in entry["text"]]
            (root / "ops" / "deploy.md").unlink()
            (root / "ops" / "deploy.md").symlink_to(outside / "passwords.md")


LOOK_ALIKES = (
    "INDEX.md",
    "index.MD",
    "index.md.",
    "index.md%20",
    "%20index.md",
    "index.md/",
    "./index.md",
    "//index.md",
)
LOOK_ALIKES += (
    "index%E2%80%A4md",
    "%EF%BD%89ndex.md",
    "ind%D0%B5x.md",
    "index.md%00",
    "index%2emd%2f",
    "ops%2f..%2findex.md",
)
LOOK_ALIKES += (
    "index.md%E2%80%8B",
    "index.md;x",
    "index.md::$DATA",
    "%2e/index.md",
    "ops\\..\\index.md",
    "index.md%0a",
)


@pytest.mark.parametrize("path", LOOK_ALIKES)
def test_what_only_looks_like_a_path_is_none(root: Path, path: str) -> None:
    for client in serve(root):
        answer = client.get(f"/v1/pages/{path}")
        # The client itself takes dots out of an address, as browsers do.
        plain = path == "./index.md"
        assert answer.status_code == (200 if plain else 404)
