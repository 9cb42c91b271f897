"""`wikitrail serve` as users start it, in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

PROGRAMS = Path(sys.executable).parent
TOKEN = "a-token"
"""What the admin routes ask for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A service that runs: where, and as which process."""

    address: str
    pid: int


@contextmanager
def serving(root: Path | None, *arguments: str, **environment: str) -> Iterator[Served]:
    """Serves a wiki, or those of the environment, for as long as the block runs."""
    folder = [] if root is None else [root]
    command = [PROGRAMS / "wikitrail", "serve", *folder, "--port", "0", "--json", *arguments]
    variables = {**os.environ, "WIKITRAIL_ADMIN_TOKEN": TOKEN, **environment}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables) as service:
        assert service.stdout is not None
        yield Served(address=json.loads(service.stdout.readline())["address"], pid=service.pid)
        service.terminate()


def read_headings(root: Path) -> list[str]:
    """Returns the headings of all pages, as queries that find something."""
    lines = (line for page in sorted(root.rglob("*.md")) for line in page.read_text().split("\n"))
    return [line.lstrip("# ") for line in lines if line.startswith("#") and line.lstrip("# ")]


def run_schemathesis(address: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Tries requests by the OpenAPI document of a service on all of its routes; 0 if none failed."""
    configuration = Path(__file__).with_name("schemathesis.toml")
    command = [PROGRAMS / "schemathesis", "--no-color", "--config-file", configuration, "run"]
    command += [f"{address}/openapi.json", "-H", f"Authorization: Bearer {TOKEN}", *arguments]
    with TemporaryDirectory() as folder:  # where it leaves what it wants to remember
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
