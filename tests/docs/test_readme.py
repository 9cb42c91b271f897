"""What the README shows is what happens."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from service.settings import Settings

PROJECT = Path(__file__).parents[2]
README = (PROJECT / "README.md").read_text(encoding="utf-8")
WIKITRAIL = Path(sys.executable).parent / "wikitrail"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def test_the_first_block_holds_the_two_commands_and_make_knows_them() -> None:
    commands = [line.split("#")[0].strip() for line in blocks("sh")[0].strip().split("\n")]
    assert commands == ["make demo", "make test"]
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    for command in commands:
        assert f"\n{command.split()[1]}: install" in makefile


def test_ci_runs_the_test_command_of_the_readme() -> None:
    assert "\nmake test\n" in (PROJECT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_demo_prints_what_the_readme_shows() -> None:
    (session,) = blocks("console")
    result = subprocess.run(
        [WIKITRAIL, "demo"], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )
    printed = {_without_chance(line) for line in (result.stdout + result.stderr).split("\n")}
    shown = [_without_chance(line) for line in session.split("\n") if line not in ("$ make demo", "…")]
    assert [line for line in shown if line not in printed] == []


def test_the_settings_shown_are_settings() -> None:
    (text,) = blocks("toml")
    assert set(Settings(**tomllib.loads(text)).wikis) == {"default", "ops"}


@pytest.mark.parametrize("command", re.findall(r"^\| `([a-z]+)[ `]", README, flags=re.MULTILINE))
def test_every_command_of_the_table_has_help_with_an_example(command: str) -> None:
    result = subprocess.run([WIKITRAIL, command, "--help"], capture_output=True, text=True, check=True)
    assert "Example" in result.stdout or "Commands" in result.stdout


def _without_chance(line: str) -> str:
    """Leaves out the free port and the seconds, which differ from run to run."""
    return re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", re.sub(r"\d+\.\d s$", "SECONDS", line)).rstrip()
