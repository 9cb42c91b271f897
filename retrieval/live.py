"""The files of a wiki as they are now, beside what the index knows of them."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from chunking.decode import UndecodablePage, decode
from chunking.model import Dialect
from retrieval.daemons import DaemonThreads


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveFile:
    """The bytes of a page's file, and when it was last written, in seconds since 1970."""

    raw: bytes
    modified: float

    @property
    def sha256(self) -> str:
        """The hash of the bytes, hexadecimal."""
        return hashlib.sha256(self.raw).hexdigest()


LIVE_THREADS = DaemonThreads("live-files", most=8)
"""Where files are read and compared: a network drive that hangs takes these threads and nothing else."""

ReadLive = Callable[[str], LiveFile]
"""Reads the file of a page by path.

Raises FileNotFoundError where the wiki has no such page now, whatever else stands there, and OSError where
that cannot be said.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveWiki:
    """A wiki whose files are at hand; `dialect` is that of its links."""

    read: ReadLive
    dialect: Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What was seen of a page's file: as it was indexed, changed, gone, or not to be read.

    `sha256`, `modified` and `text` are those of a changed file; `text` is None where its bytes are no text.
    """

    state: Literal["fresh", "changed", "gone", "unreadable"]
    sha256: str = ""
    modified: float = 0.0
    text: str | None = None


def look_at(path: str, page_sha256: str, read: ReadLive) -> Look:
    """Compares a page's file with the hash of the bytes that were indexed: one read, one hash.

    Neither size nor times are asked: both can stay while the text changes.
    """
    try:
        file = read(path)
    except FileNotFoundError:
        return Look(state="gone")
    except OSError:
        return Look(state="unreadable")
    sha256 = file.sha256
    if sha256 == page_sha256:
        return Look(state="fresh")
    return Look(state="changed", sha256=sha256, modified=file.modified, text=read_text(file.raw))


def read_text(raw: bytes) -> str | None:
    """Returns the text of a file, None where its bytes are none."""
    try:
        return decode(raw).text
    except UndecodablePage:
        return None
