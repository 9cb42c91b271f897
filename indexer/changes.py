"""What is different between the folder and the index, before any file is opened."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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

    def is_surely(self, file: ScannedFile) -> bool:
        """Says whether size and time prove that the file still holds the same bytes."""
        same = self.size == file.size and self.mtime_ns == file.mtime_ns
        return same and max(file.mtime_ns, file.ctime_ns) + _STAMP_GRAIN_NS < self.seen_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSet:
    """`to_read` may have changed (the hash decides), `gone` have left the folder.

    `kept` could not be looked at, so what the index says of them stays. `unchanged` counts the rest.
    """

    to_read: tuple[ScannedFile, ...]
    gone: tuple[KnownPage, ...]
    kept: tuple[KnownPage, ...]
    unchanged: int


def detect_changes(scan: Scan, known: Mapping[str, KnownPage], *, read_all: bool) -> ChangeSet:
    """Compares a scan with the pages of the index, by path; with `read_all` nothing is taken on trust."""
    present = {file.path for file in scan.files}
    absent = [page for path, page in known.items() if path not in present]
    kept = [page for page in absent if _lies_below(page.path, scan.unreadable)]
    trusted = {
        file.path
        for file in scan.files
        if not read_all and file.path in known and known[file.path].is_surely(file)
    }
    kept_paths = {page.path for page in kept}
    return ChangeSet(
        to_read=tuple(file for file in scan.files if file.path not in trusted),
        gone=tuple(page for page in absent if page.path not in kept_paths),
        kept=tuple(kept),
        unchanged=len(trusted),
    )


def _lies_below(path: str, entries: Iterable[str]) -> bool:
    return any(entry in ("", path) or path.startswith(entry + "/") for entry in entries)
