"""The folder of a wiki as a whole: whether it is there, and whether it is the one that it was.

A folder at which nothing is mounted any more looks like one that was emptied. What tells them apart is kept
in the index: at which folders something was mounted when it was made.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from indexer.errors import RootUnavailable


def check_root(root: str | Path) -> None:
    """Raises RootUnavailable if `root` is missing, no folder, or cannot be listed."""
    is_bare(root)


def is_bare(root: str | Path) -> bool:
    """Says whether a folder holds nothing at all, not even what is hidden.

    Raises:
        RootUnavailable: It is missing, no folder, or cannot be listed.
    """
    try:
        with os.scandir(root) as entries:
            return next(entries, None) is None
    except OSError as error:
        raise explain_root(root, error) from error


def identify_root(root: str | Path) -> tuple[int, int]:
    """Returns what tells the folder from any other that may come to be at its place.

    Raises:
        RootUnavailable: It is missing or cannot be looked at.
    """
    try:
        status = os.stat(root)
    except OSError as error:
        raise explain_root(root, error) from error
    return status.st_dev, status.st_ino


def is_mount(root: str | Path, folder: str = "") -> bool:
    """Says whether something is mounted at a folder of the wiki, "" for its root."""
    return os.path.ismount(os.path.join(os.path.realpath(root), folder))


def find_unmounted(root: str | Path, mounts: Iterable[str], pages: Iterable[str]) -> tuple[str, ...]:
    """Returns the folders among `mounts` where nothing is mounted now and below which there is no page."""
    present = tuple(pages)
    return tuple(
        folder
        for folder in mounts
        if not is_mount(root, folder)
        and not any(path.startswith(f"{folder}/" if folder else "") for path in present)
    )


def explain_root(root: str | Path, error: OSError) -> RootUnavailable:
    """Returns the error that says why the folder cannot be used, and what to do."""
    name = f"the wiki folder {str(root)!r}"
    if isinstance(error, FileNotFoundError):
        return RootUnavailable(f"{name} does not exist; check the path, or mount it")
    if isinstance(error, NotADirectoryError):
        return RootUnavailable(f"{name} is not a folder; give the folder that holds the pages")
    reason = error.strerror or "it fails"
    return RootUnavailable(
        f"{name} cannot be read ({reason}); check its permissions, and whether it is mounted"
    )
