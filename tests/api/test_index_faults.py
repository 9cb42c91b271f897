"""What a running service answers while something is wrong with the files of its index."""

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import lancedb
import pytest
from fakes import FakeEmbedder
from fastapi.testclient import TestClient

from retrieval.schema import SCHEMA_VERSION
from service.http.app import create_app
from service.settings import Settings
from service.wiring import Application


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "secret-place" / "wiki"
    root.mkdir(parents=True)
    write_version(root, 1)
    index(root)
    return root


@pytest.fixture
def client(root: Path) -> Iterator[TestClient]:
    with TestClient(create_app(make_application(root)), raise_server_exceptions=False) as client:
        yield client


def make_application(root: Path) -> Application:
    return Application(Settings(wikis={"default": {"root": root}}), embedder=FakeEmbedder())


def index(root: Path, *, full: bool = False) -> None:
    asyncio.run(make_application(root).indexer().run("full" if full else "incremental"))


def write_version(root: Path, version: int) -> None:
    for name in ("a", "b"):
        (root / f"{name}.md").write_text(f"# Page {name}\n\nThe zorbmark is v{version}\n")


def versions(client: TestClient) -> set[str]:
    answer = client.post("/v1/evidence", json={"query": "zorbmark", "mode": "lexical"})
    assert answer.status_code == 200, answer.text
    return {passage["text"].rpartition(" ")[2] for passage in answer.json()["evidence"]}


def assert_unavailable(client: TestClient, code: str) -> None:
    """Every route that reads says the same, and none says where anything lies."""
    for method, path, body in (
        ("POST", "/v1/evidence", {"query": "zorbmark"}),
        ("GET", "/v1/pages/a.md", None),
        ("GET", "/v1/pages/a.md/links", None),
    ):
        answer = client.request(method, path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (503, code), (path, answer.text)
        assert "secret-place" not in answer.text
    (wiki,) = client.get("/v1/status").json()["wikis"]
    assert (wiki["state"], wiki["code"]) == ("unavailable", code)


def test_an_index_that_is_removed_is_missing_until_there_is_another(root: Path, client: TestClient) -> None:
    assert versions(client) == {"v1"}
    shutil.rmtree(root / ".wikitrail")
    assert_unavailable(client, "index-missing")
    assert not (root / ".wikitrail").exists()
    write_version(root, 2)
    index(root)
    assert versions(client) == {"v2"}


def test_an_index_that_is_replaced_between_two_queries_is_never_mixed_with_the_one_before(
    root: Path, client: TestClient
) -> None:
    for version in range(2, 6):
        shutil.rmtree(root / ".wikitrail")
        write_version(root, version)
        index(root)
        assert versions(client) == {f"v{version}"}


def test_an_index_moved_back_into_place_answers_again(root: Path, client: TestClient) -> None:
    (root / ".wikitrail").rename(root.parent / "kept")
    assert_unavailable(client, "index-missing")
    (root.parent / "kept").rename(root / ".wikitrail")
    assert versions(client) == {"v1"}


def lose_table(root: Path) -> None:
    for table in ("pages", "chunks", "links"):
        (folder,) = (root / ".wikitrail").glob(f"{table}-*")
        shutil.rmtree(folder)


def lose_log(root: Path) -> None:
    for file in (root / ".wikitrail" / "generations.lance" / "data").iterdir():
        file.write_bytes(b"not what was written")


def garble_head(root: Path) -> None:
    for file in (root / ".wikitrail" / "head.lance" / "_versions").glob("*.manifest"):
        file.write_bytes(b"not what was written")


@pytest.mark.parametrize("harm", [lose_table, lose_log, garble_head])
def test_a_damaged_index_says_so_until_it_is_rebuilt(root: Path, harm: Callable[[Path], None]) -> None:
    # Of what a service has opened it reads the files that it has not read yet.
    harm(root)
    with TestClient(create_app(make_application(root)), raise_server_exceptions=False) as client:
        assert_unavailable(client, "index-damaged")
        write_version(root, 2)
        index(root, full=True)
        assert versions(client) == {"v2"}


@pytest.mark.parametrize(("difference", "code"), [(-1, "index-outdated"), (1, "index-too-new")])
def test_an_index_of_another_version_says_which(root: Path, difference: int, code: str) -> None:
    async def change_version() -> None:
        database = await lancedb.connect_async(str(root / ".wikitrail"))
        log = await database.open_table("generations")
        for row in (await log.query().to_arrow()).to_pylist():
            record = json.loads(row["record"])
            record["build"]["schema"] = SCHEMA_VERSION + difference
            await log.update({"record": json.dumps(record)}, where=f"number = {row['number']}")

    asyncio.run(change_version())
    with TestClient(create_app(make_application(root)), raise_server_exceptions=False) as client:
        assert_unavailable(client, code)
        index(root, full=difference > 0)
        assert versions(client) == {"v1"}
