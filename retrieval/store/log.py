"""The log of generations: a row a commit, each naming the one it follows."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from retrieval.store.errors import IndexFormatUnknown
from retrieval.store.generation import LOG_SCHEMA, Generation, from_row, to_row
from retrieval.store.head import Head
from retrieval.store.tables import read_rows, translated

LOG = "generations"


async def append(table: Any, generation: Generation) -> None:
    """Writes a generation down; it counts only once head names its commit."""
    async with translated():
        await table.add(pa.Table.from_pylist([to_row(generation)], schema=LOG_SCHEMA))


async def history(table: Any, head: Head) -> tuple[Generation, ...]:
    """Returns the committed generations that the log still holds, newest first.

    Rows that no commit leads to were written by a run that did not get to move head.

    Raises:
        IndexFormatUnknown: The log was written in another form.
    """
    rows = (await read_rows(table, columns=LOG_SCHEMA.names)).to_pylist()
    try:
        by_commit = {row["commit_id"]: row for row in rows}
        chain: list[Generation] = []
        commit = head.commit_id
        while commit in by_commit:
            chain.append(from_row(by_commit.pop(commit)))
            commit = chain[-1].parent
    except (KeyError, TypeError, ValueError) as error:
        raise IndexFormatUnknown("the log of the index has another form; rebuild the index") from error
    return tuple(chain)


async def forget(table: Any, kept: Sequence[Generation]) -> None:
    """Removes every row but those of the kept generations."""
    names = ", ".join(f"'{generation.commit_id}'" for generation in kept)
    async with translated():
        await table.delete(f"commit_id NOT IN ({names})")
