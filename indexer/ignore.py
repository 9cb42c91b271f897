"""Which paths a wiki leaves out: `.gitignore` files of any depth, and patterns of the same syntax.

Syntax: https://git-scm.com/docs/gitignore. A pattern speaks for the paths that it matches as a whole, and the
last that matches decides, those of deeper files coming last. A folder that is ignored is not entered, so
nothing below it can be taken back.

Patterns and paths are compared in NFC, as git does where file systems hand out names decomposed.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from indexer.errors import InvalidPattern
from indexer.glob import translate_glob

MAX_IGNORE_BYTES = 256 * 1024
"""A larger ignore file is not read, and then nothing can be said of its folder: every path is held against
every pattern."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """`regex` is for the path below `folder`, which is "" or ends in "/"."""

    folder: str
    regex: re.Pattern[str]
    ignores: bool
    folders_only: bool

    def matches(self, path: str, *, is_folder: bool) -> bool:
        within = path.startswith(self.folder) and (is_folder or not self.folders_only)
        return within and self.regex.fullmatch(path, len(self.folder)) is not None


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The patterns that apply in a folder; those of outer folders come first."""

    patterns: tuple[_Pattern, ...] = ()

    def followed_by(self, inner: "IgnoreRules") -> "IgnoreRules":
        """Returns the rules of a folder that has `inner` of its own."""
        return IgnoreRules((*self.patterns, *inner.patterns)) if inner.patterns else self

    def ignores(self, path: str, *, is_folder: bool = False) -> bool:
        """Tells whether `path`, relative to the root, is left out; its folder must not be."""
        path = unicodedata.normalize("NFC", path)
        for pattern in reversed(self.patterns):
            if pattern.matches(path, is_folder=is_folder):
                return pattern.ignores
        return False

    def cover(self, path: str) -> bool:
        """Tells whether a file, or a folder that it lies in, is named; the last pattern that does decides."""
        *folders, file = accumulate(unicodedata.normalize("NFC", path).split("/"), "{}/{}".format)
        for pattern in reversed(self.patterns):
            if pattern.matches(file, is_folder=False) or any(
                pattern.matches(folder, is_folder=True) for folder in folders
            ):
                return pattern.ignores
        return False


def parse_patterns(patterns: Iterable[str]) -> IgnoreRules:
    """Returns the rules of patterns that are relative to the root.

    Raises:
        InvalidPattern: a pattern does not parse.
    """
    parsed = (_parse_pattern(pattern, "") for pattern in patterns)
    return IgnoreRules(tuple(pattern for pattern in parsed if pattern is not None))


def parse_ignore_file(folder: str, content: bytes) -> tuple[IgnoreRules, tuple[InvalidPattern, ...]]:
    """Returns the rules of the ignore file of a folder ("" or ending in "/"), and its lines that are none."""
    patterns: list[_Pattern | None] = []
    errors: list[InvalidPattern] = []
    for line in content.decode("utf-8-sig", errors="surrogateescape").split("\n"):
        try:
            patterns.append(_parse_pattern(line.removesuffix("\r"), folder))
        except InvalidPattern as error:
            errors.append(error)
    return IgnoreRules(tuple(pattern for pattern in patterns if pattern is not None)), tuple(errors)


def _parse_pattern(line: str, folder: str) -> _Pattern | None:
    """Parses a line of a folder's ignore file; None if it is blank or a comment."""
    if not line.strip() or line.startswith("#"):
        return None
    body = unicodedata.normalize("NFC", line.removeprefix("!"))
    body = body if body.endswith("\\ ") else body.rstrip()
    folders_only = body.endswith("/")
    body = body.removesuffix("/")
    if not body:
        return None
    anywhere = "" if "/" in body else "**/"
    try:
        regex = translate_glob(anywhere + body.removeprefix("/"))
    except ValueError as error:
        raise InvalidPattern(f"{line!r} is no gitignore pattern; correct or remove it") from error
    return _Pattern(unicodedata.normalize("NFC", folder), regex, not line.startswith("!"), folders_only)
