"""The index: LanceDB tables, the generations they form, and the commit protocol that publishes them."""

from retrieval.store.embeddings import EmbeddingCache
from retrieval.store.errors import (
    GenerationMissing,
    IndexBusy,
    IndexFormatUnknown,
    IndexMissing,
    IndexReadOnly,
    LeaseLost,
    SnapshotLost,
    StoreError,
)
from retrieval.store.generation import Build, Counts, Generation, TableVersion
from retrieval.store.head import Head
from retrieval.store.opening import open_writer
from retrieval.store.retention import Retention
from retrieval.store.snapshot import Snapshot
from retrieval.store.store import Store, open_store
from retrieval.store.vectors import Vector
from retrieval.store.writer import Clock, Writer

__all__ = [
    "Build",
    "Clock",
    "Counts",
    "EmbeddingCache",
    "Generation",
    "GenerationMissing",
    "Head",
    "IndexBusy",
    "IndexFormatUnknown",
    "IndexMissing",
    "IndexReadOnly",
    "LeaseLost",
    "Retention",
    "Snapshot",
    "SnapshotLost",
    "Store",
    "StoreError",
    "TableVersion",
    "Vector",
    "Writer",
    "open_store",
    "open_writer",
]
