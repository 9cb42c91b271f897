"""The door from a query to the wiki's folder: pages as they are now, and nothing that is not a page."""

import errno
import os
import stat
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate

from indexer.errors import InvalidPattern
from indexer.files import is_page_name, is_utf8, open_unfollowed, relative_inside
from indexer.ignore import IgnoreRules, parse_include, read_ignore_file
from indexer.scan import ScanOptions
from retrieval.live import LiveFile

MAX_LIVE_BYTES = 32 * 1024 * 1024
"""A larger file is not looked at while somebody waits for an answer."""

_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EISDIR)


class LivePages:
    """The pages below a folder. What a scan with the same options would not take for a page is not there."""

    def __init__(self, root: str | os.PathLike[str], options: ScanOptions, *, index_folder: str) -> None:
        self._root = os.path.realpath(root)
        self._index = relative_inside(self._root, os.path.realpath(index_folder))
        self._options = options
        self._include = parse_include(options.include) if options.include else None
        self._exclude = IgnoreRules().extend("", options.exclude)

    def read(self, path: str) -> LiveFile:
        """Reads the file of a page; `path` is relative to the root, exactly as on disk.

        Raises:
            FileNotFoundError: The wiki has no such page now; the same whatever else stands there.
            OSError: That cannot be said: access is denied, the file is too large, or the folder of the wiki
                is away. No message holds an absolute path.
        """
        try:
            if not self._may_be_page(path):
                raise FileNotFoundError(errno.ENOENT, "no such page")
            return _read_file(self._locate(path))
        except ValueError as error:
            raise FileNotFoundError(errno.ENOENT, "not a file name", path) from error
        except OSError as error:
            if error.errno not in _NOT_THERE:
                raise OSError(error.errno, error.strerror, path) from error
            self._check_root()
            raise FileNotFoundError(errno.ENOENT, "no such page", path) from error

    def _may_be_page(self, path: str) -> bool:
        """Says whether a scan would take a file of this path, going down folder by folder as it does."""
        parts = path.split("/")
        # An empty part would make it absolute; one that begins with a dot is hidden, or leads up.
        if not is_page_name(path) or not is_utf8(path) or any(part[:1] in ("", ".") for part in parts):
            return False
        if self._include is not None and not self._include.match_file(path):
            return False
        rules = IgnoreRules()
        for folder, entry in _descend(parts):
            if self._options.gitignore:
                rules = IgnoreRules((*rules.patterns, *self._read_rules(folder).patterns))
            is_folder = entry != path
            if entry == self._index or any(
                each.ignores(entry, is_folder=is_folder) for each in (self._exclude, rules)
            ):
                return False
        return True

    def _locate(self, path: str) -> str:
        """Returns the real place of a page: in the very folder that its path names, or linked from there."""
        named = os.path.join(self._root, path)
        real = os.path.realpath(named, strict=True)
        if real == named:
            return real
        target = relative_inside(self._root, real)
        folder = os.path.dirname(named)
        if target is None or os.path.realpath(folder) != folder or not self._options.follow_symlinks:
            raise FileNotFoundError(errno.ENOENT, "not inside the wiki")
        if any(part.startswith(".") for part in target.split("/")) or self._is_index(target):
            raise FileNotFoundError(errno.ENOENT, "not part of the wiki")
        return real

    def _is_index(self, path: str) -> bool:
        return bool(self._index) and path.startswith(f"{self._index}/")

    def _read_rules(self, folder: str) -> IgnoreRules:
        """Reads the folder's own `.gitignore`; like the scan, not through a symbolic link."""
        place = os.path.join(self._root, folder, ".gitignore")
        try:
            with open(place, "rb", opener=open_unfollowed) as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return IgnoreRules()
                return _parse_rules(folder, file.read(MAX_LIVE_BYTES))
        except OSError as error:
            if error.errno in _NOT_THERE:
                return IgnoreRules()
            raise

    def _check_root(self) -> None:
        """Raises OSError where the folder is missing or has no entry: it may be unmounted."""
        try:
            with os.scandir(self._root) as entries:
                if next(entries, None) is not None:
                    return
        except OSError as error:
            raise OSError(errno.EIO, "the wiki's folder cannot be read") from error
        raise OSError(errno.EIO, "the wiki's folder is empty")


def _descend(parts: list[str]) -> Iterator[tuple[str, str]]:
    """Yields each folder on the way ("" or ending in "/") with the entry in it that the path goes on by."""
    folder = ""
    for entry in accumulate(parts, lambda before, part: f"{before}/{part}"):
        yield folder, entry
        folder = f"{entry}/"


def _read_file(real: str) -> LiveFile:
    with open(real, "rb", opener=open_unfollowed) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise FileNotFoundError(errno.ENOENT, "not a regular file")
        # It may grow while it is read.
        raw = file.read(MAX_LIVE_BYTES + 1)
    if len(raw) > MAX_LIVE_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return LiveFile(raw=raw, modified=status.st_mtime)


@lru_cache(maxsize=256)
def _parse_rules(folder: str, content: bytes) -> IgnoreRules:
    """Parses an ignore file as the scan does: a line that is no pattern hides nothing."""
    rules = IgnoreRules()
    for line in read_ignore_file(content):
        try:
            rules = rules.extend(folder, [line])
        except InvalidPattern:
            continue
    return rules
