"""The door from a query to the wiki's folder: pages as they are now, and nothing that is not a page."""

import errno
import os
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate

from indexer.files import MAX_PAGE_BYTES, is_hidden, is_page_name, is_utf8, read_regular, relative_inside
from indexer.ignore import MAX_IGNORE_BYTES, IgnoreRules, parse_ignore_file, parse_patterns
from indexer.scan import ScanOptions
from retrieval.live import LiveFile

_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EISDIR)
_NO_FILE = (errno.EINVAL, errno.ENXIO)  # pipes and devices; sockets


class LivePages:
    """The pages below a folder. What a scan with the same options would not take for a page is not there."""

    def __init__(self, root: str | os.PathLike[str], options: ScanOptions, *, index_folder: str) -> None:
        self._root = os.path.realpath(root)
        self._index = relative_inside(self._root, os.path.realpath(index_folder))
        self._options = options
        self._include = parse_patterns(options.include) if options.include else None
        self._exclude = parse_patterns(options.exclude)

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
            raw, modified = read_regular(self._root, self._locate(path), most=MAX_PAGE_BYTES)
            return LiveFile(raw=raw, modified=modified)
        except ValueError as error:
            raise FileNotFoundError(errno.ENOENT, "not a file name", path) from error
        except OSError as error:
            if error.errno not in (*_NOT_THERE, *_NO_FILE):
                raise OSError(error.errno, error.strerror, path) from error
            self._check_root()
            raise FileNotFoundError(errno.ENOENT, "no such page", path) from error

    def _may_be_page(self, path: str) -> bool:
        """Says whether a scan would take a file of this path, going down folder by folder as it does."""
        parts = path.split("/")
        # An empty part would make it absolute; one that begins with a dot is hidden, or leads up.
        if not is_page_name(path) or not is_utf8(path) or any(part[:1] in ("", ".") for part in parts):
            return False
        if self._include is not None and not self._include.cover(path):
            return False
        return not self._is_left_out(path)

    def _is_left_out(self, path: str) -> bool:
        """Says whether the file, or a folder that it lies in, is ignored or part of the index."""
        rules = IgnoreRules()
        for folder, entry in _descend(path.split("/")):
            if self._options.gitignore:
                rules = rules.followed_by(self._read_rules(folder))
            is_folder = entry != path
            if entry == self._index or any(
                each.ignores(entry, is_folder=is_folder) for each in (self._exclude, rules)
            ):
                return True
        return False

    def _locate(self, path: str) -> str:
        """Returns the place of a page in the wiki: where its path says, or linked from that very folder."""
        named = os.path.join(self._root, path)
        real = os.path.realpath(named, strict=True)
        if real == named:
            return path
        target = relative_inside(self._root, real)
        folder = os.path.dirname(named)
        if target is None or os.path.realpath(folder) != folder or not self._options.follow_symlinks:
            raise FileNotFoundError(errno.ENOENT, "not inside the wiki")
        if is_hidden(target) or self._is_left_out(target):
            raise FileNotFoundError(errno.ENOENT, "not part of the wiki")
        return target

    def _read_rules(self, folder: str) -> IgnoreRules:
        """Reads the folder's own `.gitignore`; like the scan, not through a symbolic link."""
        try:
            content, _ = read_regular(self._root, f"{folder}.gitignore", most=MAX_IGNORE_BYTES)
        except OSError as error:
            if error.errno in (*_NOT_THERE, *_NO_FILE):
                return IgnoreRules()
            raise
        return _parse_rules(folder, content)

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


@lru_cache(maxsize=256)
def _parse_rules(folder: str, content: bytes) -> IgnoreRules:
    """Parses an ignore file as the scan does: a line that is no pattern hides nothing."""
    rules, _ = parse_ignore_file(folder, content)
    return rules
