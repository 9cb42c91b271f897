"""Which vector space a run's vectors are of: asked of the model by three probe texts, only if need be."""

import asyncio
from dataclasses import replace

from retrieval.embedding.port import Embedder, Vectors
from retrieval.embedding.space import StoredSpace, embed_probes, found_space
from retrieval.store import Writer


class SpaceChanged(Exception):
    """The embedder is not of the space it was taken for; `probes` are what it made of the probe texts."""

    def __init__(self, probes: Vectors) -> None:
        super().__init__("the embedder is of another vector space than the index")
        self.probes = probes


class SpaceGuard:
    """Holds an embedder to a space: it has to prove itself before its first text, not before."""

    def __init__(self, embedder: Embedder, space: StoredSpace, *, proved: bool) -> None:
        self.space = space
        self._embedder = embedder
        self._proved = proved

    async def prove(self, *, again: bool = False) -> None:
        """Embeds the probes, unless that was done and is not wanted again.

        Raises:
            SpaceChanged: The vectors are of another space.
            EmbedderError: The model fails on these texts too.
        """
        if self._proved and not again:
            return
        probes = await asyncio.to_thread(embed_probes, self._embedder)
        if not self.space.holds(self._embedder.space, probes):
            raise SpaceChanged(probes)
        self._proved = True


async def settle_space(writer: Writer, embedder: Embedder, probes: Vectors) -> StoredSpace:
    """Returns the space of an embedder that made these probes: one that the index knows, or a new one.

    The index knows the space of its vectors and each whose vectors are kept by key, so that a run which was
    killed while it made a new one goes on with that.
    """
    declared, base = embedder.space, writer.base
    own = (base.space,) if base and base.space else ()
    for space in (*own, *await writer.caches.spaces()):
        if space.holds(declared, probes):
            proved: StoredSpace = replace(space, declared=declared)
            return proved
    return found_space(declared, probes)
