"""What can go wrong with an index, and what to do about it.

StoreError                  try again; the log has the cause
├── IndexMissing            make one with `wikitrail index`
├── IndexBusy               wait for the other run
├── LeaseLost               run again
├── IndexReadOnly           check owner and permissions of its place
├── DiskFull                free some space and run again
├── IndexDamaged            rebuild it with `wikitrail index --full`
├── IndexFormatUnknown      choose another place: what is there is no index
├── IndexOutdated           bring it up to date with `wikitrail index`
├── IndexTooNew             upgrade wikitrail
├── GenerationMissing       ask for one that is kept
└── SnapshotLost            ask again
"""

from typing import ClassVar

from chunking.errors import WikitrailError


class StoreError(WikitrailError):
    """The index cannot be read or written."""

    code: ClassVar[str] = "index-unavailable"


class IndexMissing(StoreError):
    """There is no index at the given place yet."""

    code: ClassVar[str] = "index-missing"


class IndexBusy(StoreError):
    """Another process holds the index's lease."""

    code: ClassVar[str] = "index-busy"


class LeaseLost(StoreError):
    """Another writer took over; nothing that this one wrote since its last commit is published."""

    code: ClassVar[str] = "lease-lost"


class IndexReadOnly(StoreError):
    """The index's place does not allow this user to write, or not even to read."""

    code: ClassVar[str] = "index-read-only"


class DiskFull(StoreError):
    """There is no space left for the index; the newest generation answers as before."""

    code: ClassVar[str] = "disk-full"


class IndexDamaged(StoreError):
    """A file of the newest generation is gone, or does not hold what was written to it."""

    code: ClassVar[str] = "index-damaged"


class IndexFormatUnknown(StoreError):
    """What is at the index's place was not written by any version of wikitrail."""

    code: ClassVar[str] = "index-format-unknown"


class IndexOutdated(StoreError):
    """The index has the tables of an older version; a run builds new ones beside them."""

    code: ClassVar[str] = "index-outdated"


class IndexTooNew(StoreError):
    """The index has the tables of a newer version, which this one neither reads nor replaces unasked."""

    code: ClassVar[str] = "index-too-new"


class GenerationMissing(StoreError):
    """A generation was asked for that is not kept."""

    code: ClassVar[str] = "generation-missing"


class SnapshotLost(StoreError):
    """The files of a pinned generation were cleaned up while it was read; the newest one answers."""

    code: ClassVar[str] = "snapshot-lost"
