"""A generation: one committed state of the index, and how it stands in the log."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa

from retrieval.embedding.space import StoredSpace, from_record, to_record
from retrieval.language import AUTO
from retrieval.schema import TableName
from retrieval.tuning import Basis, Tuning
from retrieval.tuning import from_record as tuning_from_record
from retrieval.tuning import to_record as tuning_to_record


@dataclass(frozen=True, slots=True, kw_only=True)
class TableVersion:
    """Where a logical table of a generation is: a physical table and one version of it."""

    physical: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """What decides the content of the tables; a difference means building anew.

    `language` is that of the wiki, `auto` where each page has its own. `space` names what the embedder of the
    index says of its vectors, None for an index that is to have none, `tokens` the form in which it keeps
    those of tokens, None where it does not.
    """

    schema: int
    chunker: int
    analyzer: int
    dialect: str
    language: str = AUTO  # an index of schema 2 had none
    max_tokens: int
    tokenizer: str
    space: str | None
    dimension: int | None
    model: str | None
    tokens: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Totals of a generation. `terms` is the sum of the lengths of all chunks in terms.

    `languages` has the number of pages in each language.
    `embedded` counts chunks with a vector, `failed` those that could not be embedded; the rest is pending.
    `tokens` counts chunks whose tokens have vectors too.
    """

    pages: int = 0
    chunks: int = 0
    terms: int = 0
    embedded: int = 0
    failed: int = 0
    page_vectors: int = 0
    tokens: int = 0
    links: int = 0
    issues: int = 0
    languages: Mapping[str, int] = field(default_factory=dict)

    @property
    def average_length(self) -> float:
        """The mean number of terms in a chunk, 0.0 for an empty index."""
        return self.terms / self.chunks if self.chunks else 0.0

    @property
    def average_page_length(self) -> float:
        """The mean number of terms in a page, 0.0 for an empty index."""
        return self.terms / self.pages if self.pages else 0.0

    @property
    def pending(self) -> int:
        """Chunks that wait for their vector."""
        return self.chunks - self.embedded - self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """A row of the log. `parent` is the commit it follows; head names the commit that counts.

    `space` is that of its vectors, None before the first of them. `created` is in seconds since the epoch;
    `assets` is a digest of the names of the files that are no pages, `mounts` names the folders of the wiki
    at which something was mounted ("" is its root). `tuning` is what was fitted to the wiki, if anything.
    """

    number: int
    commit_id: str
    parent: str
    created: float
    build: Build
    space: StoredSpace | None
    counts: Counts
    assets: str
    mounts: tuple[str, ...] = ()
    tables: Mapping[TableName, TableVersion] = field(default_factory=dict)
    tuning: Tuning | None = None

    @property
    def basis(self) -> Basis | None:
        """What a tuning must have been fitted to in order to say anything here; None without vectors."""
        return Basis(space=self.space.id, analyzer=self.build.analyzer) if self.space else None

    @property
    def tuning_at_work(self) -> Tuning | None:
        """The tuning, unless it was fitted to other vectors, other terms or another ranking."""
        return self.tuning if self.tuning is not None and self.tuning.basis == self.basis else None

    @property
    def config_digest(self) -> str:
        """Names build, space and tuning; equal digests mean equal chunks, terms, vectors and weights."""
        tuned = {"tuning": self.tuning_at_work.effect} if self.tuning_at_work else {}
        return _digest({**asdict(self.build), "founded": self.space.id if self.space else None, **tuned})


LOG_SCHEMA = pa.schema(
    [
        pa.field("number", pa.int64(), nullable=False),
        pa.field("commit_id", pa.string(), nullable=False),
        pa.field("parent", pa.string(), nullable=False),
        pa.field("created", pa.float64(), nullable=False),
        pa.field("record", pa.string(), nullable=False),
    ]
)


def to_row(generation: Generation) -> dict[str, Any]:
    """Returns the log row of a generation."""
    record = {
        "build": asdict(generation.build),
        "space": to_record(generation.space) if generation.space else None,
        "counts": asdict(generation.counts),
        "assets": generation.assets,
        "mounts": generation.mounts,
        "tables": {name: asdict(table) for name, table in generation.tables.items()},
        "tuning": tuning_to_record(generation.tuning) if generation.tuning else None,
    }
    return {
        "number": generation.number,
        "commit_id": generation.commit_id,
        "parent": generation.parent,
        "created": generation.created,
        "record": json.dumps(record, sort_keys=True),
    }


def from_row(row: Mapping[str, Any]) -> Generation:
    """Reads a log row.

    Raises:
        KeyError, TypeError, ValueError: The row was written in another form.
    """
    record = json.loads(row["record"])
    space = record.get("space")  # schema 1 had no probes
    tuning = record.get("tuning")
    return Generation(
        number=row["number"],
        commit_id=row["commit_id"],
        parent=row["parent"],
        created=row["created"],
        build=Build(**record["build"]),
        space=from_record(space) if space else None,
        counts=Counts(**record["counts"]),
        assets=record["assets"],
        mounts=tuple(record.get("mounts", ())),
        tables={name: TableVersion(**table) for name, table in record["tables"].items()},
        tuning=tuning_from_record(tuning) if tuning else None,
    )


def _digest(value: object) -> str:
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()
