"""What is made of a text for the index: its vector, and the code of its tokens."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeVar

from retrieval.embedding.port import Embedder, EmbeddingRole
from retrieval.embedding.token_embedder import TokenEmbedder
from retrieval.predicates import in_predicate
from retrieval.refinement.signs import CODE, encode_signs
from retrieval.store import (
    EmbeddingCache,
    Generation,
    IndexDamaged,
    SnapshotLost,
    TokenCodes,
    Vector,
    Writer,
)

Made = TypeVar("Made")


class Maker(Protocol[Made]):
    """Makes something of texts, keeps it by embedding key, and finds it again."""

    async def find(self, keys: Collection[str]) -> Mapping[str, Made]:
        """Returns what was kept, by key."""

    def make(self, texts: Sequence[str], role: EmbeddingRole) -> Sequence[Made]:
        """Returns what is made of each text, in order.

        Raises:
            EmbedderError: The model failed.
        """

    async def keep(self, made: Mapping[str, Made]) -> None:
        """Keeps what is new, by key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """The vector of a text, and where both were made at once the code of its tokens."""

    vector: Vector
    code: bytes | None = None


class VectorMaker:
    """Makes vectors."""

    def __init__(self, embedder: Embedder, cache: EmbeddingCache) -> None:
        self._embedder = embedder
        self._cache = cache

    async def find(self, keys: Collection[str]) -> dict[str, Embedded]:
        """Returns the vectors that are kept."""
        return {key: Embedded(vector=vector) for key, vector in (await self._cache.find(keys)).items()}

    def make(self, texts: Sequence[str], role: EmbeddingRole) -> list[Embedded]:
        """Returns the vector of each text."""
        return [Embedded(vector=vector) for vector in self._embedder.embed(texts, role)]

    async def keep(self, made: Mapping[str, Embedded]) -> None:
        """Keeps vectors."""
        await self._cache.add({key: each.vector for key, each in made.items()})

    async def tidy(self) -> None:
        """Joins what was kept batch by batch."""
        await self._cache.tidy()


class VectorAndTokenMaker(VectorMaker):
    """Makes vectors, and of chunks the codes too: the network is run once for both."""

    def __init__(self, embedder: TokenEmbedder, cache: EmbeddingCache, codes: TokenCodes) -> None:
        super().__init__(embedder, cache)
        self._token_embedder = embedder
        self._codes = codes

    def make(self, texts: Sequence[str], role: EmbeddingRole) -> list[Embedded]:
        """Returns the vector of each text, of a chunk with the code of its tokens."""
        if role != "chunk":
            return super().make(texts, role)
        vectors, tokens = self._token_embedder.embed_with_tokens(texts, role)
        return [
            Embedded(vector=vector, code=encode_signs(each))
            for vector, each in zip(vectors, tokens, strict=True)
        ]

    async def keep(self, made: Mapping[str, Embedded]) -> None:
        """Keeps vectors and codes; the codes first, since only texts without a vector are embedded again."""
        codes = {key: each.code for key, each in made.items() if each.code is not None}
        if codes:
            await self._codes.add(codes)
        await super().keep(made)


class TokenMaker:
    """Makes codes of chunks whose vectors were there before, and finds those of the generation before."""

    def __init__(
        self, embedder: TokenEmbedder, codes: TokenCodes, writer: Writer, *, before: Generation | None
    ) -> None:
        self._embedder = embedder
        self._codes = codes
        self._writer = writer
        self._before = before

    async def find(self, keys: Collection[str]) -> dict[str, bytes]:
        """Returns the codes that are kept, or that the generation before the run has."""
        found = await self._codes.find(keys)
        rest = sorted(set(keys) - found.keys())
        if rest and self._before is not None and self._before.build.tokens == CODE:
            # One that is damaged is being made anew.
            with suppress(IndexDamaged, SnapshotLost):
                found |= await self._find_before(self._before, rest)
        return found

    async def _find_before(self, generation: Generation, keys: Sequence[str]) -> dict[str, bytes]:
        if "token_vectors" not in generation.tables:
            return {}
        where, columns = in_predicate("embedding_key", keys), ["embedding_key", "code"]
        rows = await self._writer.committed_rows(generation, "token_vectors", columns=columns, where=where)
        return dict(zip(rows["embedding_key"].to_pylist(), rows["code"].to_pylist(), strict=True))

    def make(self, texts: Sequence[str], role: EmbeddingRole) -> list[bytes]:
        """Returns the code of each text."""
        _, tokens = self._embedder.embed_with_tokens(texts, role)
        return [encode_signs(each) for each in tokens]

    async def keep(self, made: Mapping[str, bytes]) -> None:
        """Keeps codes until the next generation has them."""
        await self._codes.add(made)
