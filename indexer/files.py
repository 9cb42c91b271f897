"""What the name of a file says about it, and how files are opened."""

import os

PAGE_EXTENSIONS = (".md", ".markdown")
"""Endings of page files, compared without case."""


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


def open_unfollowed(path: str, flags: int) -> int:
    """Opens a file that must not be a symbolic link, without waiting at a pipe for a writer."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
