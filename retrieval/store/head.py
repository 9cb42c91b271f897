"""The one-row table that says which commit counts and who may write.

Every change of it is one conditional update that must report exactly one row. That is atomic on a local
disk and on object storage; an append or a merge is not (two writers would both believe they won).
"""

import math
import secrets
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from retrieval.predicates import quote
from retrieval.store.errors import IndexDamaged, IndexFormatUnknown

HEAD = "head"

SCHEMA = pa.schema(
    [
        pa.field("generation", pa.int64(), nullable=False),
        pa.field("commit_id", pa.string(), nullable=False),
        pa.field("holder", pa.string(), nullable=False),
        pa.field("epoch", pa.int64(), nullable=False),
        pa.field("expires", pa.float64(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """`generation` 0 with an empty `commit_id` is an index without any commit.

    `epoch` rises with every lease taken; `holder` is "" when nobody writes; `expires` is in epoch seconds.
    """

    generation: int
    commit_id: str
    holder: str
    epoch: int
    expires: float


FIRST = Head(generation=0, commit_id="", holder="", epoch=0, expires=0.0)


_EPOCH_BITS = 48
_LAST_EPOCH = 2**62


def first_row() -> pa.Table:
    """Returns the row with which an index begins.

    Its epoch is one that no other index at the same place had: a writer of an index that was removed, and
    writes on, must not be taken for one of the index that was made since.
    """
    first = replace(FIRST, epoch=secrets.randbits(_EPOCH_BITS))
    return pa.Table.from_pylist([{name: getattr(first, name) for name in SCHEMA.names}], schema=SCHEMA)


async def read_head(table: Any) -> Head:
    """Reads the newest head.

    Raises:
        IndexFormatUnknown: The table is not the head of an index.
        IndexDamaged: No writer ever wrote such a head.
    """
    rows = (await table.query().to_arrow()).to_pylist()
    try:
        (row,) = rows
        head = Head(**{name: row[name] for name in SCHEMA.names})
    except (KeyError, ValueError) as error:
        raise IndexFormatUnknown(
            "what is there is not an index of wikitrail; give the index another place"
        ) from error
    if head.generation < 0 or not 0 <= head.epoch < _LAST_EPOCH or not math.isfinite(head.expires):
        raise IndexDamaged(
            "the head of the index is damaged; rebuild the index with `wikitrail index --full`"
        )
    return head


async def take_lease(table: Any, seen: Head, *, holder: str, expires: float) -> bool:
    """Takes the lease that `seen` shows as free or run out; False if somebody was faster."""
    changes = {"holder": quote(holder), "epoch": str(seen.epoch + 1), "expires": repr(expires)}
    return await _update(table, changes, where=f"epoch = {seen.epoch}")


async def extend_lease(table: Any, *, epoch: int, expires: float) -> bool:
    """Moves the end of the lease; False if it was lost."""
    return await _update(table, {"expires": repr(expires)}, where=f"epoch = {epoch}")


async def give_lease_back(table: Any, *, epoch: int) -> bool:
    """Frees the lease at once instead of letting it run out."""
    return await _update(table, {"holder": "''", "expires": "0.0"}, where=f"epoch = {epoch}")


async def move_head(table: Any, *, epoch: int, generation: int, commit_id: str) -> bool:
    """Publishes `generation + 1`; False if another writer published or took the lease since."""
    changes = {"generation": str(generation + 1), "commit_id": quote(commit_id)}
    return await _update(table, changes, where=f"generation = {generation} AND epoch = {epoch}")


async def _update(table: Any, changes: dict[str, str], *, where: str) -> bool:
    result = await table.update(updates_sql=changes, where=where)
    return bool(result.rows_updated == 1)
