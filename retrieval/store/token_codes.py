"""Codes of tokens kept by embedding key until a generation has them: a run that is killed makes them once."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from retrieval import schema
from retrieval.store.keyed import KeyedCache, Writing

_NAME = "unpublished_tokens"


class TokenCodes(KeyedCache[bytes]):
    """The codes that were made since the last run that came to its end.

    They are many times larger than vectors, so that they are not kept twice: those of older runs are in the
    generation's own table.
    """

    @classmethod
    async def of(cls, database: Any, writing: Writing) -> "TokenCodes":
        """Opens the codes, none if there were none; `writing` is that of the lease."""
        return await cls(database, _NAME, schema.TOKEN_CODES, writing).open()

    def _to_column(self, values: Sequence[bytes]) -> pa.Array:
        return pa.array(values, pa.binary())

    def _from_column(self, column: pa.ChunkedArray) -> Sequence[bytes]:
        codes: list[bytes] = column.to_pylist()
        return codes


async def drop_token_codes(database: Any) -> None:
    """Forgets the codes; a generation has those that are worth keeping."""
    await database.drop_table(_NAME, ignore_missing=True)
