"""The other side of `conformance.processes`: one task given as JSON, its outcome printed as JSON.

- `index`: runs the indexer once, if `together` not before a line comes in; with `die_at` the process is
  killed with that text, with `die_before_switch` right before the new generation would count
- `serve`: serves the wiki over HTTP on a free port until the process is ended
- `case`: runs a whole case as the user `uid`
"""

import asyncio
import json
import os
import shutil
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import uvicorn
from conformance.case import Case, CaseFailure, UnknownInstruction
from conformance.embedder import CaseEmbedder
from conformance.product import Product
from conformance.runner import run_here

from chunking.errors import WikitrailError
from indexer.report import to_dict
from retrieval.store import head
from service.http.app import create_app

_WARM_UP = Case(
    id="warm-up",
    title="",
    source="",
    kind="",
    severity="",
    report="",
    expected="",
    assertion="",
    input_files={"a.md": "# A\n\nword\n"},
    checks=[{"check": "search", "body": {"query": "word"}, "include": [{"path": "a.md"}]}],
)


def _open_product(task: Mapping[str, Any]) -> Product:
    embedder = CaseEmbedder(model=task["model"], dimension=task["dimension"])
    return Product(Path(task["root"]), index=Path(task["index"]), embedder=embedder)


def _index(task: Mapping[str, Any]) -> dict[str, Any]:
    product = _open_product(task)
    product.embedder.die_at = task.get("die_at")
    if task.get("die_before_switch"):
        head.move_head = _die
    if task.get("forget_vectors"):
        forget_vectors(product.index_folder)
    if task.get("together"):
        print(json.dumps("ready"), flush=True)
        sys.stdin.readline()
    try:
        return {"report": to_dict(product.index(task["mode"]))}
    except WikitrailError as error:
        return {"error": error.code}


def forget_vectors(index: Path) -> None:
    """Removes the vectors that are kept by text, so that a run has to embed everything."""
    for folder in index.glob("embeddings-*"):
        shutil.rmtree(folder)


async def _die(*_: Any, **__: Any) -> bool:
    os.kill(os.getpid(), signal.SIGKILL)
    return False


def _serve(task: Mapping[str, Any]) -> None:
    application = _open_product(task).application()
    server = uvicorn.Server(uvicorn.Config(create_app(application), log_level="error"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(json.dumps({"port": listening.getsockname()[1]}), flush=True)
        asyncio.run(server.serve(sockets=[listening]))


def _run_case(task: Mapping[str, Any]) -> dict[str, Any]:
    # The user need not be able to read the environment, so all modules that a case takes are loaded before.
    run_here(_WARM_UP, Path(task["folder"] + "-warm-up"))
    os.setgroups([])
    os.setgid(task["uid"])
    os.setuid(task["uid"])
    try:
        run_here(Case(**task["case"]), Path(task["folder"]))
    except CaseFailure as failure:
        return {"failure": str(failure), "unknown": None}
    except UnknownInstruction as unknown:
        return {"failure": None, "unknown": str(unknown)}
    return {"failure": None, "unknown": None}


def main() -> None:
    """Carries out the task of the command line."""
    task = json.loads(sys.argv[1])
    match task["action"]:
        case "index":
            print(json.dumps(_index(task)))
        case "serve":
            _serve(task)
        case "case":
            print(json.dumps(_run_case(task)))


if __name__ == "__main__":
    main()
