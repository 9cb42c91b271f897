"""What a run is told: where, with what rules, and how to treat the index."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from chunking.options import ChunkingOptions
from indexer.scan import ScanOptions
from retrieval.language import AUTO
from retrieval.store import LEASE_SECONDS, Retention

RunMode = Literal["incremental", "full"]
"""`full` reads every page and builds all tables anew; vectors of equal text are reused by both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexOptions:
    """`root` is the wiki's folder, `uri` the index's place (a folder or object storage).

    `language` is that of the pages that name none, `auto` to have each one's guessed.
    `commit_every` (seconds) is how often a long run publishes what it has, `lease_seconds` how long one that
    stopped keeps others out. `token_vectors` asks for vectors of each chunk's tokens beside its own, if the
    embedder gives them. `allow_empty` lets a run remove the pages of a folder that is empty, or at which
    nothing is mounted any more.
    """

    root: Path
    uri: str
    scan: ScanOptions = field(default_factory=ScanOptions)
    chunking: ChunkingOptions = field(default_factory=ChunkingOptions)
    language: str = AUTO
    retention: Retention = field(default_factory=Retention)
    commit_every: float = 60.0
    lease_seconds: float = LEASE_SECONDS
    token_vectors: bool = False
    allow_empty: bool = False
