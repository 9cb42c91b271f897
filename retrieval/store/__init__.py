"""The index: LanceDB tables, the generations they form, and the commit protocol that publishes them."""

from retrieval.store.embeddings import EmbeddingCache
from retrieval.store.errors import (
    DiskFull,
    GenerationMissing,
    IndexBusy,
    IndexDamaged,
    IndexFormatUnknown,
    IndexMissing,
    IndexOutdated,
    IndexReadOnly,
    IndexTooNew,
    LeaseLost,
    SnapshotLost,
    StoreError,
)
from retrieval.store.generation import Build, Counts, Generation, TableVersion
from retrieval.store.head import Head
from retrieval.store.lease import LEASE_SECONDS, is_of_process
from retrieval.store.log import TOO_NEW
from retrieval.store.opening import open_writer, using_store
from retrieval.store.retention import Retention
from retrieval.store.snapshot import Snapshot
from retrieval.store.store import Store, open_store
from retrieval.store.tenure import Clock
from retrieval.store.token_codes import TokenCodes
from retrieval.store.vectors import Vector
from retrieval.store.writer import Writer

__all__ = [
    "LEASE_SECONDS",
    "TOO_NEW",
    "Build",
    "Clock",
    "Counts",
    "DiskFull",
    "EmbeddingCache",
    "Generation",
    "GenerationMissing",
    "Head",
    "IndexBusy",
    "IndexDamaged",
    "IndexFormatUnknown",
    "IndexMissing",
    "IndexOutdated",
    "IndexReadOnly",
    "IndexTooNew",
    "LeaseLost",
    "Retention",
    "Snapshot",
    "SnapshotLost",
    "Store",
    "StoreError",
    "TableVersion",
    "TokenCodes",
    "Vector",
    "Writer",
    "is_of_process",
    "open_store",
    "open_writer",
    "using_store",
]
