"""What the name of a file says about it, and how files are opened."""

import errno
import os
import stat
from functools import partial

PAGE_EXTENSIONS = (".md", ".markdown")
"""Endings of page files, compared without case."""

MAX_PAGE_BYTES = 32 * 1024 * 1024
"""A larger file is not read, by no run and by no query: there are not so many words in a page."""


def is_page_name(name: str) -> bool:
    """Says whether a file of this name is a page."""
    return name.lower().endswith(PAGE_EXTENSIONS)


def is_hidden(path: str) -> bool:
    """Says whether a part of a relative path begins with a dot."""
    return path.startswith(".") or "/." in path


def is_utf8(name: str) -> bool:
    """Says whether a name, as the system gives it, is UTF-8 on disk."""
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)


def relative_inside(root: str, real: str) -> str | None:
    """Returns the path of `real` below `root` ("" for the root, None outside); both are real paths."""
    if real == root:
        return ""
    prefix = root if root.endswith("/") else root + "/"
    return real[len(prefix) :] if real.startswith(prefix) else None


def read_regular(root: str, path: str, *, most: int) -> tuple[bytes, float]:
    """Returns the bytes of a file and when it was last written, in seconds since 1970.

    `root` is a real path, and no part of `path`, which is relative to it, may be a symbolic link.

    Every folder is opened in the one before, so that one which is replaced by a link meanwhile leads nowhere.

    Raises:
        OSError: EFBIG if it has more than `most` bytes, EINVAL if it is no regular file, or why it cannot be
            read.
    """
    *folders, name = path.split("/")
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in folders:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        with open(name, "rb", opener=partial(_open_unfollowed, folder=folder)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, "not a regular file")
            # It may grow while it is read.
            raw = file.read(most + 1) if status.st_size <= most else None
    finally:
        os.close(folder)
    if raw is None or len(raw) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return raw, status.st_mtime


def _open_unfollowed(name: str, flags: int, *, folder: int) -> int:
    """Opens a file that must not be a symbolic link, without waiting at a pipe for a writer."""
    return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
