"""The part of a wiki that a run looks at: all of it, or some pages and folders."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from indexer.errors import InvalidPath


@dataclass(frozen=True, slots=True)
class Bounds:
    """Pages, and folders with all that lies below, by their paths relative to the root; none: everything."""

    paths: frozenset[str] = frozenset()

    def cover(self, path: str) -> bool:
        """Says whether a page lies within."""
        return not self.paths or any(place in self.paths for place in _lineage(path))


EVERYTHING = Bounds()


def parse_bounds(paths: Iterable[str]) -> Bounds:
    """Returns the bounds that paths name, as citations write them; a folder may end in "/".

    Raises:
        InvalidPath: A path is empty or absolute, or has a part that is empty, "." or "..".
    """
    return Bounds(frozenset(parse_path(path) for path in paths))


def parse_path(path: str) -> str:
    """Returns the key of a page or folder.

    Raises:
        InvalidPath: See `parse_bounds`.
    """
    key = path.removesuffix("/")
    if any(part in ("", ".", "..") for part in key.split("/")):
        raise InvalidPath(
            f"{path!r} is no path inside the wiki; give one relative to its root, without '.' and '..'"
        )
    return key


def _lineage(path: str) -> Iterator[str]:
    """Yields the path itself, then each folder that it lies in."""
    while path:
        yield path
        path = path.rpartition("/")[0]
