"""Reading the chunks of a page from the index."""

from dataclasses import dataclass
from typing import Any

from chunking.model import Span
from retrieval.errors import PageMissing
from retrieval.predicates import quote
from retrieval.rows import SPAN_COLUMNS, read_span
from retrieval.store import Snapshot

_COLUMNS = (
    "chunk_id",
    "ordinal",
    "heading_path",
    "anchor",
    *SPAN_COLUMNS,
    "text",
    "tokens",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRecord:
    """A chunk as the index holds it; the fields are as in `chunking.model.Chunk`."""

    chunk_id: str
    heading_path: tuple[str, ...]
    anchor: str
    span: Span
    text: str
    tokens: int


async def read_chunks(snapshot: Snapshot, path: str) -> tuple[ChunkRecord, ...]:
    """Returns the chunks of a page in its order.

    Raises:
        PageMissing: No page has this path.
    """
    where = f"path = {quote(path)}"
    if await snapshot.count("pages", where) == 0:
        raise PageMissing(f"the index has no page {path!r}")
    rows = (await snapshot.rows("chunks", columns=_COLUMNS, where=where)).to_pylist()
    return tuple(_to_record(row) for row in sorted(rows, key=lambda row: int(row["ordinal"])))


def _to_record(row: dict[str, Any]) -> ChunkRecord:
    return ChunkRecord(
        chunk_id=row["chunk_id"],
        heading_path=tuple(row["heading_path"]),
        anchor=row["anchor"],
        span=read_span(row),
        text=row["text"],
        tokens=row["tokens"],
    )
