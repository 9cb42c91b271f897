"""The admin routes: tokens, jobs, generations."""

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeEmbedder
from fastapi.testclient import TestClient
from runs import Gate, run_command, wait_until

from indexer.options import RunMode
from service.http.app import create_app
from service.settings import Settings
from service.wiring import Application

READ, ADMIN = "tøken-73", "ådmin-37"
ROUTES = [
    ("POST", "/v1/admin/reindex"),
    ("GET", "/v1/admin/jobs"),
    ("GET", "/v1/admin/jobs/x"),
    ("GET", "/v1/admin/jobs/x/events"),
    ("DELETE", "/v1/admin/jobs/x"),
    ("GET", "/v1/admin/generations"),
    ("POST", "/v1/admin/generations/1/activate"),
]
PAGES = {"a.md": "# A\n\nzorbone\n", "ops/b.md": "# B\n\nzorbtwo\n"}

Serve = Callable[..., TestClient]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "secret-place"
    for path, text in PAGES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


@pytest.fixture
def serve_admin(root: Path, gate: Gate) -> Iterator[Serve]:
    """Makes a client, with the admin token, of a service whose runs are held up at the gate."""
    clients: list[TestClient] = []

    def serve(**settings: Any) -> TestClient:
        given = Settings(**{"wikis": {"default": {"root": root}}, "admin_token": ADMIN, **settings})
        embedder = FakeEmbedder()
        app = create_app(Application(given, embedder=embedder), run_command=run_command(embedder, gate))
        client = TestClient(app, raise_server_exceptions=False, headers=bearer(ADMIN))
        clients.append(client.__enter__())
        return client

    yield serve
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def admin(serve_admin: Serve) -> TestClient:
    return serve_admin()


def bearer(token: str) -> dict[str, bytes]:
    return {"Authorization": f"Bearer {token}".encode()}


def finish(client: TestClient, job: dict[str, Any]) -> dict[str, Any]:
    """Waits for the end of a job."""
    address = f"/v1/admin/jobs/{job['id']}"
    wait_until(lambda: client.get(address).json()["finished"] is not None)
    return dict(client.get(address).json())


def reindex(client: TestClient, **body: Any) -> dict[str, Any]:
    answer = client.post("/v1/admin/reindex", json=body)
    assert answer.status_code == 202, answer.text
    return finish(client, answer.json())


def index_here(root: Path, mode: RunMode = "incremental", **settings: Any) -> int:
    """Runs the indexer in this process; returns the generation that it made."""
    given = Settings(**{"wikis": {"default": {"root": root}}, **settings})
    return asyncio.run(Application(given, embedder=FakeEmbedder()).indexer().run(mode)).generation


def find(client: TestClient, word: str) -> set[str]:
    pack = client.post("/v1/evidence", json={"query": word, "mode": "lexical"}).json()
    return {passage["citation"]["path"] for passage in pack["evidence"]}


def test_without_a_configured_token_the_routes_are_off(serve: Serve) -> None:
    client = serve(api_token=READ)
    for method, path in ROUTES:
        answer = client.request(method, path, headers=bearer(READ))
        assert (answer.status_code, answer.json()["code"]) == (403, "admin-disabled")
        assert "WIKITRAIL_ADMIN_TOKEN" in answer.json()["detail"]
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer é".encode("latin-1")},
        {"Authorization": f"Bearer {ADMIN}x".encode()},
        {"Authorization": f"Basic {ADMIN}".encode()},
        bearer(READ),
    ],
)
def test_another_token_is_not_enough(serve: Serve, headers: dict[str, str | bytes]) -> None:
    client = serve(api_token=READ, admin_token=ADMIN)
    for method, path in ROUTES:
        answer = client.request(method, f"{path}?token={ADMIN}", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"


def test_the_admin_token_does_not_read(serve: Serve) -> None:
    client = serve(api_token=READ, admin_token=ADMIN)
    assert client.get("/v1/status", headers=bearer(ADMIN)).status_code == 401
    assert client.get("/v1/admin/jobs", headers=bearer(ADMIN)).json() == {"jobs": []}


def test_a_run_is_a_job_with_a_report(admin: TestClient, gate: Gate) -> None:
    gate.open()
    answer = admin.post("/v1/admin/reindex")
    job = answer.json()
    assert answer.headers["location"] == f"/v1/admin/jobs/{job['id']}"
    assert (job["wiki"], job["mode"], job["paths"]) == ("default", "incremental", [])
    assert job["state"] in ("queued", "running")
    assert (job["finished"], job["report"], job["error"]) == (None, None, None)
    done = finish(admin, job)
    assert (done["state"], done["error"]) == ("done", None)
    assert done["report"]["pages"]["added"] == 2
    assert done["report"]["chunks"]["embedded"] == 2
    assert done["progress"] == {"phase": "embed", "done": 2, "total": 2}
    assert done["created"] <= done["started"] <= done["finished"]
    assert admin.get("/v1/admin/jobs").json() == {"jobs": [done]}
    assert find(admin, "zorbone") == {"a.md"}


def test_a_second_request_gets_the_job_that_runs(admin: TestClient, gate: Gate) -> None:
    first = admin.post("/v1/admin/reindex").json()
    gate.wait()
    second = admin.post("/v1/admin/reindex", json={"mode": "full"}).json()
    assert (second["id"], second["state"], second["mode"]) == (first["id"], "running", "incremental")
    gate.open()
    finish(admin, first)
    third = reindex(admin, mode="full")
    assert third["id"] != first["id"]
    assert [job["id"] for job in admin.get("/v1/admin/jobs").json()["jobs"]] == [third["id"], first["id"]]


def test_the_jobs_of_two_wikis_run_one_after_the_other(
    serve_admin: Serve, root: Path, tmp_path: Path, gate: Gate
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "c.md").write_text("# C\n\nzorbthree\n")
    client = serve_admin(
        wikis={"one": {"root": root}, "two": {"root": tmp_path / "other"}}, default_wiki="one"
    )
    first = client.post("/v1/admin/reindex").json()
    gate.wait()
    second = client.post("/v1/admin/reindex", json={"wiki": "two"}).json()
    third = client.post("/v1/admin/generations/1/activate", params={"wiki": "two"})
    assert (second["state"], third.status_code) == ("queued", 409)
    cancelled = client.delete(f"/v1/admin/jobs/{second['id']}").json()
    assert (cancelled["state"], cancelled["started"]) == ("cancelled", None)
    gate.open()
    assert finish(client, first)["state"] == "done"
    assert reindex(client, wiki="two")["report"]["pages"]["total"] == 1


def test_events_tell_the_progress_and_end_with_the_job(admin: TestClient, gate: Gate) -> None:
    gate.open()
    job = admin.post("/v1/admin/reindex").json()
    with admin.stream("GET", f"/v1/admin/jobs/{job['id']}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in stream.iter_lines() if line]
    names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    states = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    assert names == ["progress"] * (len(names) - 1) + ["end"]
    assert states[-1] == finish(admin, job)
    assert {state["id"] for state in states} == {job["id"]}


def test_events_of_a_job_that_is_over_are_its_end(admin: TestClient, gate: Gate) -> None:
    gate.open()
    job = reindex(admin)
    with admin.stream("GET", f"/v1/admin/jobs/{job['id']}/events") as stream:
        assert [line for line in stream.iter_lines() if line.startswith("event")] == ["event: end"]


@pytest.mark.parametrize(("method", "suffix"), [("GET", ""), ("GET", "/events"), ("DELETE", "")])
def test_an_unknown_job_is_not_found(admin: TestClient, method: str, suffix: str) -> None:
    answer = admin.request(method, f"/v1/admin/jobs/nope{suffix}")
    assert (answer.status_code, answer.json()["code"]) == (404, "job-not-found")


def test_a_dry_run_tells_and_writes_nothing(admin: TestClient, gate: Gate, root: Path) -> None:
    gate.open()
    job = reindex(admin, mode="dry-run")
    assert (job["state"], job["report"]["generation"]) == ("done", None)
    assert job["report"]["changes"]["added"] == ["a.md", "ops/b.md"]
    assert not (root / ".wikitrail").exists()


def test_a_dry_run_does_not_wait_for_the_model(admin: TestClient, gate: Gate) -> None:
    assert reindex(admin, mode="dry-run")["report"]["chunks"] == {"written": 2, "embedded": 2}
    assert not gate.file.exists()


def test_a_run_is_bounded_to_paths(admin: TestClient, gate: Gate) -> None:
    gate.open()
    job = reindex(admin, paths=["ops/"])
    assert (job["paths"], job["report"]["pages"]["total"]) == (["ops"], 1)
    assert find(admin, "zorbone") == set()


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "ops/../../x", "", ".", "a\ud800.md", "x" * 5_000])
def test_a_path_that_leads_out_names_the_field(admin: TestClient, path: str) -> None:
    body = json.dumps({"paths": ["a.md", path]})
    answer = admin.post("/v1/admin/reindex", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == ["paths[1]"]
    assert admin.get("/v1/admin/jobs").json() == {"jobs": []}


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"mode": "magic"}, 422, "invalid-request"),
        ({"path": ["a.md"]}, 422, "invalid-request"),
        ({"paths": "a.md"}, 422, "invalid-request"),
        ({"paths": ["a.md"] * 1_001}, 422, "invalid-request"),
        ({"wiki": "nope"}, 404, "wiki-not-found"),
        ([], 422, "invalid-request"),
    ],
)
def test_a_wrong_request_starts_nothing(admin: TestClient, body: Any, status: int, code: str) -> None:
    answer = admin.post("/v1/admin/reindex", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert admin.get("/v1/admin/jobs").json() == {"jobs": []}


def test_a_wiki_without_its_folder_is_not_indexed(serve_admin: Serve, tmp_path: Path) -> None:
    client = serve_admin(wikis={"default": {"index": str(tmp_path / "index")}})
    answer = client.post("/v1/admin/reindex")
    assert (answer.status_code, answer.json()["code"]) == (409, "folder-unknown")
    gone = serve_admin(wikis={"default": {"root": tmp_path / "secret-place" / "gone"}})
    answer = gone.post("/v1/admin/reindex")
    assert (answer.status_code, answer.json()["code"]) == (503, "root-unavailable")
    assert "secret-place" not in answer.text


def test_a_run_that_cannot_go_on_says_why_without_naming_the_place(
    serve_admin: Serve, gate: Gate, root: Path, tmp_path: Path
) -> None:
    gate.open()
    wikis = {"default": {"root": root, "index": str(tmp_path / "index")}}
    client = serve_admin(wikis=wikis)
    index_here(root, wikis=wikis)
    shutil.rmtree(root)
    root.mkdir()
    job = reindex(client)
    assert (job["state"], job["report"]) == ("failed", None)
    assert job["error"]["code"] == "root-empty"
    assert "secret-place" not in json.dumps(job)
    (wiki,) = client.get("/v1/status").json()["wikis"]
    assert wiki["counts"]["pages"] == 2


def test_generations_are_listed_and_activated(admin: TestClient, root: Path) -> None:
    index_here(root)
    (root / "a.md").write_text("# A\n\nzorbnew\n")
    newest = index_here(root)
    listed = admin.get("/v1/admin/generations").json()
    assert listed["wiki"] == "default"
    assert [entry["active"] for entry in listed["generations"]] == [True] + [False] * (newest - 1)
    assert [entry["number"] for entry in listed["generations"]] == list(range(newest, 0, -1))
    assert listed["generations"][0]["counts"]["pages"] == 2
    assert listed["generations"][0]["config_digest"].startswith("sha256:")
    back = admin.post(f"/v1/admin/generations/{newest - 1}/activate").json()
    assert (back["number"], back["active"]) == (newest + 1, True)
    assert (find(admin, "zorbnew"), find(admin, "zorbone")) == (set(), {"a.md"})
    again = admin.post(f"/v1/admin/generations/{newest}/activate").json()
    assert again["number"] == newest + 2
    assert (find(admin, "zorbnew"), find(admin, "zorbone")) == ({"a.md"}, set())
    assert admin.post(f"/v1/admin/generations/{newest + 2}/activate").json() == again
    assert index_here(root) == newest + 2


def test_after_going_back_the_next_run_brings_the_index_up_to_date(
    admin: TestClient, gate: Gate, root: Path
) -> None:
    gate.open()
    old = index_here(root)
    (root / "a.md").write_text("# A\n\nzorbnew\n")
    index_here(root)
    admin.post(f"/v1/admin/generations/{old}/activate")
    assert reindex(admin)["report"]["pages"]["changed"] == 1
    assert find(admin, "zorbnew") == {"a.md"}


@pytest.mark.parametrize(
    ("number", "status", "code"),
    [("99", 404, "generation-missing"), ("0", 422, "invalid-request"), ("x", 422, "invalid-request")],
)
def test_a_generation_that_is_not_kept_cannot_be_activated(
    admin: TestClient, root: Path, number: str, status: int, code: str
) -> None:
    index_here(root)
    answer = admin.post(f"/v1/admin/generations/{number}/activate")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_generation_that_was_cleaned_up_cannot_be_activated(serve_admin: Serve, root: Path) -> None:
    soon = {"keep_generations": 1, "keep_for": 0}
    client = serve_admin(index=soon)
    index_here(root)
    index_here(root, "full", index=soon)
    newest = index_here(root, "full", index=soon)
    assert [entry["number"] for entry in client.get("/v1/admin/generations").json()["generations"]] == [
        newest
    ]
    answer = client.post("/v1/admin/generations/1/activate")
    assert (answer.status_code, answer.json()["code"]) == (404, "generation-missing")


def test_nothing_is_activated_while_a_job_runs(admin: TestClient, gate: Gate) -> None:
    job = admin.post("/v1/admin/reindex").json()
    gate.wait()
    answer = admin.post("/v1/admin/generations/1/activate")
    assert (answer.status_code, answer.json()["code"]) == (409, "job-running")
    gate.open()
    finish(admin, job)


def test_without_an_index_there_are_no_generations(admin: TestClient) -> None:
    for answer in (admin.get("/v1/admin/generations"), admin.post("/v1/admin/generations/1/activate")):
        assert (answer.status_code, answer.json()["code"]) == (503, "index-missing")
