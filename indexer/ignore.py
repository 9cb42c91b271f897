"""Which paths a wiki leaves out: `.gitignore` files of any depth, and patterns of the same syntax.

Syntax: https://git-scm.com/docs/gitignore. A pattern speaks for the paths that it matches as a whole, and the
last that matches decides, those of deeper files coming last. A folder that is ignored is not entered, so
nothing below it can be taken back. pathspec translates the patterns; its own matching also lets a pattern for
a folder speak for every file below, and thereby take back what another ignore file leaves out.

Patterns and paths are compared in NFC, as git does where file systems hand out names decomposed.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from pathspec import GitIgnoreSpec

from indexer.errors import InvalidPattern

_SPECIAL = re.compile(r"[\\*?\[\]]")


@dataclass(frozen=True, slots=True)
class _Pattern:
    regex: re.Pattern[str]
    ignores: bool
    folders_only: bool


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The patterns that apply in a folder, all relative to the root; those of outer folders come first."""

    patterns: tuple[_Pattern, ...] = ()

    def extend(self, folder: str, lines: Iterable[str]) -> "IgnoreRules":
        """Returns the rules of a folder ("" or ending in "/") that has patterns of its own.

        Raises:
            InvalidPattern: a line does not parse.
        """
        own = (_parse_pattern(line, folder) for line in lines)
        return IgnoreRules((*self.patterns, *(pattern for pattern in own if pattern is not None)))

    def ignores(self, path: str, *, is_folder: bool = False) -> bool:
        """Tells whether `path`, relative to the root, is left out; its folder must not be."""
        path = unicodedata.normalize("NFC", path)
        for pattern in reversed(self.patterns):
            if (is_folder or not pattern.folders_only) and pattern.regex.fullmatch(path):
                return pattern.ignores
        return False


def read_ignore_file(content: bytes) -> list[str]:
    """Returns the lines of an ignore file, as git takes them apart."""
    text = content.decode("utf-8-sig", errors="surrogateescape")
    return [line.removesuffix("\r") for line in text.split("\n")]


def parse_include(patterns: Iterable[str]) -> GitIgnoreSpec:
    """Returns what matches the files that the patterns name, and all below the folders that they name.

    Raises:
        InvalidPattern: a pattern does not parse.
    """
    patterns = tuple(patterns)
    for pattern in patterns:
        _translate(pattern, pattern)
    return GitIgnoreSpec.from_lines(patterns)


def _parse_pattern(line: str, folder: str) -> _Pattern | None:
    """Parses a line of a folder's ignore file; None if it is blank or a comment."""
    if not line.strip() or line.startswith("#"):
        return None
    negation = "!" if line.startswith("!") else ""
    body = unicodedata.normalize("NFC", line.removeprefix("!"))
    body = body if body.endswith("\\ ") else body.rstrip()
    folders_only = body.endswith("/")
    body = body.removesuffix("/")
    if not body:
        return None
    place = _SPECIAL.sub(r"\\\g<0>", unicodedata.normalize("NFC", folder)) + ("" if "/" in body else "**/")
    regex = _translate(f"{negation}/{place}{_end_in_name(body.removeprefix('/'))}", line)
    return None if regex is None else _Pattern(regex, not negation, folders_only)


def _end_in_name(body: str) -> str:
    """Rewrites a pattern that ends in nothing but stars, whose translation would match a part of a path."""
    start, slash, last = body.rpartition("/")
    endings = {"*": "?*", "**": "**/?*"}
    return f"{start}{slash}{endings.get(last, last)}"


def _translate(pattern: str, line: str) -> re.Pattern[str] | None:
    """Returns the expression for a pattern, None if it can match nothing; `line` is how it is written."""
    try:
        (translated,) = GitIgnoreSpec.from_lines([pattern]).patterns
    except (ValueError, re.error) as error:
        raise InvalidPattern(f"{line!r} is no gitignore pattern; correct or remove it") from error
    return translated.regex
