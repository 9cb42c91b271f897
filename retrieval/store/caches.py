"""What is kept by embedding key, outside the generations, as the holder of the lease uses it."""

from typing import Any

from retrieval.embedding.space import StoredSpace
from retrieval.store.embeddings import EmbeddingCache, drop_caches, list_spaces
from retrieval.store.keyed import Writing
from retrieval.store.token_codes import TokenCodes, drop_token_codes


class Caches:
    """The vectors of each space, and the codes of tokens that no generation has yet."""

    def __init__(self, database: Any, writing: Writing) -> None:
        self._database = database
        self._writing = writing

    async def embeddings(self, space: StoredSpace) -> EmbeddingCache:
        """Opens the vectors of a space."""
        return await EmbeddingCache.of(self._database, space, self._writing)

    async def spaces(self) -> tuple[StoredSpace, ...]:
        """Returns the spaces that have vectors here, also those of a run that was killed."""
        return await list_spaces(self._database)

    async def drop_embeddings(self, *, but: str | None) -> None:
        """Forgets the vectors of every space but one."""
        async with self._writing():
            await drop_caches(self._database, but=but)

    async def token_codes(self) -> TokenCodes:
        """Opens the codes."""
        return await TokenCodes.of(self._database, self._writing)

    async def drop_token_codes(self) -> None:
        """Forgets the codes."""
        async with self._writing():
            await drop_token_codes(self._database)
