"""The import contracts hold, and each of them notices a violation."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
PACKAGES = ("chunking", "retrieval", "indexer", "service")

VIOLATIONS = [
    ("chain", "chunking/lines.py", "import retrieval.analyzer"),
    ("chain", "retrieval/reader.py", "import indexer.report"),
    ("chain", "indexer/run.py", "import service.settings"),
    ("lancedb", "retrieval/lexical.py", "import lancedb"),
    ("lancedb", "indexer/run.py", "from lancedb.index import FTS"),
    ("models", "retrieval/analyzer.py", "import tokenizers"),
    ("models", "indexer/run.py", "import sentence_transformers"),
    ("models", "service/wiring.py", "import torch"),
    ("llm", "retrieval/llm/prompt.py", "import openai"),
    ("llm", "service/wiring.py", "from openai import AsyncOpenAI"),
    ("border", "retrieval/pack.py", "import pydantic"),
    ("border", "indexer/report.py", "import fastapi"),
]


def lint(folder: Path, *contracts: str) -> subprocess.CompletedProcess[str]:
    chosen = [part for contract in contracts for part in ("--contract", contract)]
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache", *chosen]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copy(PROJECT / "pyproject.toml", tmp_path)
    for package in PACKAGES:
        shutil.copytree(PROJECT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_all_contracts_hold(copy: Path) -> None:
    result = lint(copy)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(("contract", "module", "line"), VIOLATIONS)
def test_a_violation_is_noticed(copy: Path, contract: str, module: str, line: str) -> None:
    target = copy / module
    target.write_text(f"{target.read_text()}\n{line}\n")
    result = lint(copy, contract)
    assert result.returncode == 1
    importer = module.removesuffix(".py").replace("/", ".")
    assert f"{importer} -> {line.split()[1].partition('.')[0]}" in result.stdout
