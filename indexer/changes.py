"""What is different between the folder and the index, before any file is opened."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from indexer.bounds import Bounds
from indexer.names import PageNames
from indexer.scan import Scan, ScannedFile

# Two writes within this time may have the same stamp, so one so close to the reading proves nothing.
_STAMP_GRAIN_NS = 2_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPage:
    """A page as the index remembers it; `seen_ns` is when its bytes were read, on the clock of file times."""

    names: PageNames
    size: int
    mtime_ns: int
    seen_ns: int
    page_sha256: str

    @property
    def path(self) -> str:
        """The page's path relative to the root."""
        return self.names.path

    def is_surely(self, file: ScannedFile, now_ns: int) -> bool:
        """Says whether size and time prove that the file still holds the same bytes.

        A page that was read in the future was so before the clock was set back: it may have changed since.
        """
        same = self.size == file.size and self.mtime_ns == file.mtime_ns
        return same and max(file.mtime_ns, file.ctime_ns) + _STAMP_GRAIN_NS < self.seen_ns <= now_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSet:
    """`to_read` may have changed (the hash decides), `gone` have left the folder.

    `kept` could not be looked at, or was not to be, so what the index says of them stays. `unchanged` are the
    paths of the rest.
    """

    to_read: tuple[ScannedFile, ...]
    gone: tuple[KnownPage, ...]
    kept: tuple[KnownPage, ...]
    unchanged: frozenset[str]


def detect_changes(
    scan: Scan, known: Mapping[str, KnownPage], bounds: Bounds, *, read_all: bool, now_ns: int
) -> ChangeSet:
    """Compares a scan with the pages of the index, by path; with `read_all` nothing is taken on trust."""
    present = {file.path for file in scan.files}
    unchanged = frozenset(
        file.path
        for file in scan.files
        if not read_all and file.path in known and known[file.path].is_surely(file, now_ns)
    )
    kept = [
        page
        for path, page in known.items()
        if not bounds.cover(path) or (path not in present and _lies_below(path, scan.unreadable))
    ]
    kept_paths = {page.path for page in kept}
    staying = present | kept_paths
    return ChangeSet(
        to_read=tuple(file for file in scan.files if file.path not in unchanged and bounds.cover(file.path)),
        gone=tuple(page for path, page in known.items() if path not in staying),
        kept=tuple(kept),
        unchanged=unchanged - kept_paths,
    )


def pair_moves(added: Mapping[str, str], gone: Iterable[KnownPage]) -> list[tuple[str, str]]:
    """Returns from where to where pages moved; `added` maps the paths of new pages to their hashes.

    Of several pages with the same bytes, the first to go is the first to come, in the order of paths.
    """
    places: dict[str, list[str]] = {}
    for path in sorted(added, reverse=True):
        places.setdefault(added[path], []).append(path)
    return [
        (page.path, places[page.page_sha256].pop())
        for page in sorted(gone, key=lambda page: page.path)
        if places.get(page.page_sha256)
    ]


def _lies_below(path: str, entries: Iterable[str]) -> bool:
    return any(entry in ("", path) or path.startswith(entry + "/") for entry in entries)
