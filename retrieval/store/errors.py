"""What can go wrong with an index."""

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
    """The index's place does not allow writing."""

    code: ClassVar[str] = "index-read-only"


class IndexFormatUnknown(StoreError):
    """The index was written in a form that this version does not read."""

    code: ClassVar[str] = "index-format-unknown"


class GenerationMissing(StoreError):
    """A generation was asked for that is not kept."""

    code: ClassVar[str] = "generation-missing"


class SnapshotLost(StoreError):
    """The files of a pinned generation were cleaned up while it was read; the newest one answers."""

    code: ClassVar[str] = "snapshot-lost"
