"""The embedder of the cases: the fake one, with two failure modes that only the cases name."""

import os
import re
import signal
import time
from collections.abc import Sequence
from typing import Any

from conformance.case import UnknownInstruction
from fakes import FakeEmbedder

from retrieval.embedding.port import EmbedderError, EmbeddingRole, Vectors

_OTHER_MODEL = "other_model_same_dim"
# Two made-up words must not fall on the same number by chance: the cases say that nothing is found.
_DIMENSIONS = 1_024
_DIMENSION = re.compile(r"dim(\d+)")


class CaseEmbedder(FakeEmbedder):
    """Speaks of chunk texts where the cases speak of texts.

    A page has a vector of its own besides those of its chunks. The cases do not know of it, so what they
    count (`embed_calls`) and refuse (`refuse_after`) are texts of the role "chunk".

    - `refuse_after`: every chunk text after this many fails
    - `seconds_a_text`: each text takes so long, as if it were a call of its own
    - `die_at`: the process is killed with the text of this number, counted from 1 over all roles
    """

    def __init__(self, *, dimension: int = _DIMENSIONS, **rest: Any) -> None:
        super().__init__(dimension=dimension, **rest)

    def recover(self) -> None:
        super().recover()
        self.refuse_after: int | None = None
        self.seconds_a_text = 0.0
        self.die_at: int | None = None

    def embed(self, texts: Sequence[str], role: EmbeddingRole) -> Vectors:
        if self.die_at is not None and len(self.embedded) + len(texts) >= self.die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.refuse_after is not None and role == "chunk":
            left = max(0, self.refuse_after - self.count("chunk"))
            if left < len(texts):
                raise EmbedderError("the embedder refuses one text more", position=left)
        time.sleep(self.seconds_a_text * len(texts))
        return super().embed(texts, role)


def make_embedder(name: str) -> CaseEmbedder:
    """Returns the embedder that a case calls by this name: `dimN` or `other_model_same_dim`."""
    if name == _OTHER_MODEL:
        return CaseEmbedder(model=_OTHER_MODEL)
    if match := _DIMENSION.fullmatch(name):
        return CaseEmbedder(dimension=int(match[1]))
    raise UnknownInstruction(f"unknown embedder: {name!r}")
