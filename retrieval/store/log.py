"""The log of generations: a row a commit, each naming the one it follows."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from retrieval.schema import SCHEMA_VERSION
from retrieval.store.errors import IndexDamaged, IndexTooNew, StoreError
from retrieval.store.generation import LOG_SCHEMA, Generation, from_row, to_row
from retrieval.store.head import Head
from retrieval.store.tables import read_rows, translated

LOG = "generations"
TOO_NEW = (
    "a newer version of wikitrail wrote this index; upgrade this one, or rebuild the index in its own form "
    "with `wikitrail index --full`"
)


async def append(table: Any, generation: Generation) -> None:
    """Writes a generation down; it counts only once head names its commit."""
    async with translated():
        await table.add(pa.Table.from_pylist([to_row(generation)], schema=LOG_SCHEMA))


async def history(table: Any, head: Head) -> tuple[Generation, ...]:
    """Returns the committed generations that the log still holds, newest first.

    Rows that no commit leads to were written by a run that did not get to move head.

    Raises:
        IndexTooNew: A newer version wrote the log, in another form.
        IndexDamaged: It is in no form at all.
    """
    rows = (await read_rows(table, columns=LOG_SCHEMA.names)).to_pylist()
    by_commit = {row["commit_id"]: row for row in rows}
    chain: list[Generation] = []
    commit = head.commit_id
    while commit in by_commit:
        chain.append(_read(by_commit.pop(commit)))
        commit = chain[-1].parent
    return tuple(chain)


def _read(row: Mapping[str, Any]) -> Generation:
    try:
        return from_row(row)
    except (KeyError, TypeError, ValueError) as error:
        raise _explain(row) from error


def _explain(row: Mapping[str, Any]) -> StoreError:
    try:
        schema = int(json.loads(row["record"])["build"]["schema"])
    except (KeyError, TypeError, ValueError):
        schema = 0
    if schema > SCHEMA_VERSION:
        return IndexTooNew(TOO_NEW)
    return IndexDamaged("the log of the index is damaged; rebuild the index with `wikitrail index --full`")


async def forget(table: Any, kept: Sequence[Generation]) -> None:
    """Removes every row but those of the kept generations."""
    names = ", ".join(f"'{generation.commit_id}'" for generation in kept)
    async with translated():
        await table.delete(f"commit_id NOT IN ({names})")
