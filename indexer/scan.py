"""A wiki folder on disk: which files are pages, which are assets, and what cannot be used.

One walk with `os.scandir`; only pages and folders cost a stat. Symbolic links are followed to regular files
inside the root and nowhere else, so a walk never leaves the wiki and never runs in circles.
"""

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from indexer.errors import RootUnavailable
from indexer.files import MAX_PAGE_BYTES, is_hidden, is_page_name, is_utf8, read_regular, relative_inside
from indexer.ignore import MAX_IGNORE_BYTES, IgnoreRules, parse_ignore_file, parse_patterns
from indexer.root import explain_root, identify_root, is_mount

_LATEST_NS = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanOptions:
    """What belongs to a wiki, as gitignore-style patterns relative to its root.

    `include` narrows the pages to those that match (empty: all); `exclude` leaves out pages, assets and
    whole folders. `gitignore` honours `.gitignore` files; `follow_symlinks` takes links to files in the root.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    gitignore: bool = True
    follow_symlinks: bool = True


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """A page file; `path` is relative to the root, with "/" and exactly as on disk, `size` in bytes.

    `ctime_ns` moves with every change of content or permissions, also where `mtime_ns` is set back.
    """

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanIssue:
    """An entry that is not indexed, with a stable code (an errno name such as EACCES for access errors)."""

    path: str
    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What a walk found, each part sorted.

    `assets` are the other regular files (paths only). `unreadable` names files and folders that exist
    but could not be looked at: nothing is known about them or what lies below. `mounts` names the folders at
    which something is mounted, "" for the root, without those that lie below another.
    """

    files: tuple[ScannedFile, ...]
    assets: tuple[str, ...]
    issues: tuple[ScanIssue, ...]
    unreadable: tuple[str, ...]
    mounts: tuple[str, ...] = ()


def scan_wiki(
    root: str | Path, options: ScanOptions | None = None, *, index_folder: str | Path | None = None
) -> Scan:
    """Lists the pages and assets below `root`, without hidden and ignored entries and without the index.

    Raises:
        RootUnavailable: `root` is missing, no folder, cannot be listed, or became another one meanwhile.
        InvalidPattern: an include or exclude pattern does not parse.
    """
    before = identify_root(root)
    walk = _Walk(os.path.realpath(root), options or ScanOptions(), index_folder, device=before[0])
    try:
        walk.enter("", IgnoreRules())
    except OSError as error:
        raise explain_root(root, error) from error
    walk.finish()
    if identify_root(root) != before:
        # What was not found may lie in the folder that was here before.
        raise RootUnavailable(
            f"the wiki folder {str(root)!r} was moved or unmounted during the scan; run again"
        )
    return walk.result()


def read_page(root: str | Path, path: str) -> bytes:
    """Reads a file of the wiki; `path` is relative to `root`.

    Raises:
        PermissionError: the real file lies outside the root or is hidden, or access is denied.
        OSError: it is missing, no regular file, too large, or cannot be read. No message holds an absolute
            path.
    """
    try:
        real_root = os.path.realpath(root)
        real = os.path.realpath(os.path.join(real_root, path), strict=True)
        inside = relative_inside(real_root, real)
        if inside is None or is_hidden(inside):
            raise PermissionError(errno.EACCES, "not inside the wiki")
        return read_regular(real_root, inside, most=MAX_PAGE_BYTES)[0]
    except ValueError as error:
        raise FileNotFoundError(errno.ENOENT, "not a file name", path) from error
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


def describe_error(error: OSError) -> tuple[str, str]:
    """Returns the errno name (EACCES, EIO, ...) of an access error and what it means, without any path."""
    return errno.errorcode.get(error.errno or 0, "EIO"), error.strerror or "cannot be read"


class _Walk:
    """The state of one walk. Folders wait on a stack; links wait until all real files are known."""

    def __init__(
        self, root: str, options: ScanOptions, index_folder: str | Path | None, *, device: int
    ) -> None:
        self.root = root
        self.device = device
        self.options = options
        self.include = parse_patterns(options.include) if options.include else None
        self.exclude = parse_patterns(options.exclude)
        index = None if index_folder is None else os.path.realpath(index_folder)
        self.index = None if index is None else relative_inside(root, index)
        self.files: list[ScannedFile] = []
        self.assets: list[str] = []
        self.issues: list[ScanIssue] = []
        self.unreadable: list[str] = []
        self.mounts = [""] if is_mount(root) else []
        self.folders: list[tuple[str, IgnoreRules]] = []
        self.links: list[str] = []
        # What is neither hidden nor ignored nor part of the index, so that no link brings it back.
        self.entries: set[str] = set()

    def enter(self, folder: str, rules: IgnoreRules) -> None:
        """Sorts the entries of a folder ("" or ending in "/") into pages, assets, links and folders."""
        with os.scandir(os.path.join(self.root, folder)) as entries:
            listed = list(entries)
        if self.options.gitignore:
            rules = self._extend_rules(rules, folder, listed)
        for entry in listed:
            if not is_hidden(entry.name):
                try:
                    self._take(entry, folder + entry.name, rules)
                except FileNotFoundError:
                    continue  # it went away between the listing and the look
                except OSError as error:
                    self._report_unreadable(folder + entry.name, error)

    def finish(self) -> None:
        """Enters the folders that wait, then follows the links."""
        while self.folders:
            folder, rules = self.folders.pop()
            try:
                self.enter(folder, rules)
            except FileNotFoundError:
                continue
            except OSError as error:
                self._report_unreadable(folder.removesuffix("/"), error)
        known = {file.path for file in self.files}
        for path in sorted(self.links):
            try:
                self._follow(path, known)
            except OSError as error:
                self._report_unreadable(path, error)

    def result(self) -> Scan:
        """Returns what was found, in an order that does not depend on the file system."""
        return Scan(
            files=tuple(sorted(self.files, key=lambda file: file.path)),
            assets=tuple(sorted(self.assets)),
            issues=tuple(sorted(self.issues, key=lambda issue: (issue.path, issue.code))),
            unreadable=tuple(sorted(self.unreadable)),
            mounts=tuple(sorted(self.mounts)),
        )

    def _take(self, entry: os.DirEntry[str], path: str, rules: IgnoreRules) -> None:
        is_folder = entry.is_dir(follow_symlinks=False)
        if path == self.index or self._is_left_out(path, is_folder, rules):
            return
        if not is_utf8(entry.name):
            self._report(path, "name-not-utf8", "the name is not UTF-8; rename it")
        elif is_folder:
            self._note_mount(path, entry.stat(follow_symlinks=False))
            self.folders.append((path + "/", rules))
        elif entry.is_symlink():
            self.links.append(path)
        else:
            self.entries.add(path)
            if is_page_name(entry.name):
                self._add_page(path, entry.stat(follow_symlinks=False))
            elif entry.is_file(follow_symlinks=False):
                self.assets.append(path)

    def _note_mount(self, path: str, status: os.stat_result) -> None:
        known = [mount for mount in self.mounts if mount and path.startswith(mount + "/")]
        if status.st_dev != self.device and not known:
            self.mounts.append(path)

    def _follow(self, path: str, known: set[str]) -> None:
        """Takes a symbolic link for the file it leads to, unless that file has been taken already."""
        try:
            real = os.path.realpath(os.path.join(self.root, path), strict=True)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                raise
            return self._report(path, "dangling-symlink", "the symbolic link leads nowhere")
        target = relative_inside(self.root, real)
        if target is None:
            return self._report(path, "outside-root", "the symbolic link leads out of the wiki")
        status = os.stat(real)
        if stat.S_ISDIR(status.st_mode):
            return self._report(path, "symlinked-folder", "symbolic links to folders are not followed")
        if target not in self.entries and self._is_unreadable(target):
            raise PermissionError(errno.EACCES, "it leads into a folder that cannot be read")
        if not self.options.follow_symlinks or target not in self.entries:
            return self._report(path, "symlink-skipped", "the file it leads to is not part of the wiki")
        if not is_page_name(path):
            return self.assets.append(path) if stat.S_ISREG(status.st_mode) else None
        if target in known:
            return self._report(path, "duplicate-symlink", f"{target} is indexed already")
        known.add(target)
        return self._add_page(path, status)

    def _add_page(self, path: str, status: os.stat_result) -> None:
        if stat.S_ISREG(status.st_mode) and (self.include is None or self.include.cover(path)):
            times = (_bound_time(status.st_mtime_ns), _bound_time(status.st_ctime_ns))
            self.files.append(ScannedFile(path, status.st_size, *times))

    def _is_unreadable(self, path: str) -> bool:
        return any(path.startswith(folder + "/") for folder in self.unreadable)

    def _is_left_out(self, path: str, is_folder: bool, rules: IgnoreRules) -> bool:
        return self.exclude.ignores(path, is_folder=is_folder) or rules.ignores(path, is_folder=is_folder)

    def _extend_rules(self, rules: IgnoreRules, folder: str, entries: list[os.DirEntry[str]]) -> IgnoreRules:
        """Adds the folder's own `.gitignore`; like git, not through a symbolic link."""
        entry = next((entry for entry in entries if entry.name == ".gitignore"), None)
        if entry is None or not entry.is_file(follow_symlinks=False):
            return rules
        try:
            # One that cannot be read makes the folder unreadable: what it hides must not turn up.
            content, _ = read_regular(self.root, folder + entry.name, most=MAX_IGNORE_BYTES)
        except FileNotFoundError:
            return rules  # it went away between the listing and the look
        except OSError as error:
            raise OSError(error.errno, f"{entry.name}: {error.strerror}") from error
        own, errors = parse_ignore_file(folder, content)
        for wrong in errors:
            self._report(folder + entry.name, wrong.code, str(wrong))
        return rules.followed_by(own)

    def _report_unreadable(self, path: str, error: OSError) -> None:
        self.unreadable.append(_printable(path))
        self._report(path, *describe_error(error))

    def _report(self, path: str, code: str, detail: str) -> None:
        self.issues.append(ScanIssue(path=_printable(path), code=code, detail=detail))


def _printable(path: str) -> str:
    """Writes the bytes of a name that are no UTF-8 as escapes."""
    return path if is_utf8(path) else os.fsencode(path).decode("utf-8", errors="backslashreplace")


def _bound_time(ns: int) -> int:
    """Returns the nearest time that a column can hold; file systems know times that are centuries away."""
    return min(max(ns, -_LATEST_NS - 1), _LATEST_NS)
