"""Other processes that use the product's own composition root over a case's index."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.case import CaseFailure
from conformance.product import Product
from conformance.service import RemoteService

_SUPPORT = Path(__file__).parent.parent
_MODULE = "conformance.child"


def start_child(task: Mapping[str, Any]) -> "subprocess.Popen[str]":
    """Starts a process that carries out a task of `conformance.child` and prints what came of it as JSON."""
    return subprocess.Popen(
        [sys.executable, "-m", _MODULE, json.dumps(task)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(_SUPPORT)},
    )


def release_together(children: "Sequence[subprocess.Popen[str]]") -> None:
    """Lets processes that wait for each other begin, as soon as all of them are ready."""
    for child in children:
        if child.stdout is not None:
            child.stdout.readline()
    for child in children:
        if child.stdin is not None:
            child.stdin.write("\n")
            child.stdin.flush()


def finish_child(child: "subprocess.Popen[str]") -> tuple[int, Any]:
    """Waits for a process; returns its exit code and the JSON of its last line (None without one)."""
    out, err = child.communicate(timeout=300)
    if child.returncode > 0:
        raise CaseFailure(f"a process ended with {child.returncode}: {err[-2000:]}")
    lines = out.splitlines()
    return child.returncode, json.loads(lines[-1]) if lines else None


def describe(product: Product) -> dict[str, Any]:
    """Returns what another process needs to know to work on the same index."""
    space = product.embedder.space
    return {
        "root": str(product.root),
        "index": str(product.index_folder),
        "model": space.model,
        "dimension": space.dimension,
    }


class ServerProcess:
    """A process that serves the index of a product over HTTP until it is closed."""

    def __init__(self, product: Product) -> None:
        self._process = start_child({"action": "serve", **describe(product)})
        if self._process.stdout is None:
            raise RuntimeError("the process has no output")
        line = self._process.stdout.readline()
        if not line:
            raise CaseFailure("the second process did not start: " + self._process.communicate()[1][-2000:])
        port = json.loads(line)["port"]
        secrets = (str(product.root), str(product.index_folder))
        self.service = RemoteService(f"http://127.0.0.1:{port}", secrets=secrets)

    def close(self) -> None:
        """Ends the process."""
        self.service.close()
        self._process.terminate()
        self._process.communicate(timeout=30)
