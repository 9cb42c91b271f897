"""Which paths a wiki leaves out: `.gitignore` files of any depth, and patterns of the same syntax.

Syntax: https://git-scm.com/docs/gitignore (as pathspec implements it). The deepest file that has a
verdict wins. A folder that is ignored is not entered, so nothing below it can be taken back, as in git.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pathspec import GitIgnoreSpec

from indexer.errors import InvalidPattern


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The ignore files that apply in a folder: pairs of (folder, its patterns), root first.

    A folder is written with a final "/"; the root is "".
    """

    layers: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    def extend(self, folder: str, spec: GitIgnoreSpec) -> "IgnoreRules":
        """Returns the rules of a subfolder that has an ignore file of its own."""
        return IgnoreRules((*self.layers, (folder, spec)))

    def ignores(self, path: str) -> bool:
        """Tells whether `path` (relative to the root; folders end in "/") is left out."""
        for folder, spec in reversed(self.layers):
            verdict = spec.check_file(path[len(folder) :]).include
            if verdict is not None:
                return verdict
        return False


def parse_ignore_file(content: bytes) -> tuple[GitIgnoreSpec, tuple[str, ...]]:
    """Parses an ignore file line by line, as git does; returns its rules and the lines that are none."""
    text = content.decode("utf-8-sig", errors="surrogateescape")
    good: list[str] = []
    bad: list[str] = []
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        (good if _is_pattern(line) else bad).append(line)
    return GitIgnoreSpec.from_lines(good), tuple(bad)


def parse_patterns(patterns: Iterable[str]) -> GitIgnoreSpec:
    """Parses patterns from the settings.

    Raises:
        InvalidPattern: one of them does not parse.
    """
    patterns = tuple(patterns)
    for pattern in patterns:
        if not _is_pattern(pattern):
            raise InvalidPattern(f"{pattern!r} is no gitignore pattern; correct or remove it")
    return GitIgnoreSpec.from_lines(patterns)


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True
