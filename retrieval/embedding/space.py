"""The space of stored vectors: what their embedder said of itself, and what it made of three probe texts.

A name does not prove which model answers behind it, and another name may stand for the same model. The probes
decide, within what the two embedders say of themselves.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from retrieval.embedding.port import Embedder, EmbeddingRole, Vectors, VectorSpace, space_id

SAME_COSINE = 0.99
"""Two vectors of one text that are less alike than this are of two spaces."""

# One for each role, since each may have a prefix of its own. Cases, accents, scripts, figures and code are
# there because tokenizers differ in them.
PROBES: Mapping[EmbeddingRole, str] = {
    "query": "How do I undo the last release, and who must be told?",
    "chunk": "Operations > Rollback\nRun `deploy --revert v2.13` in Zürich; 東京 follows after 15 minutes.",
    "page": "Glossary\nLighthouse, tide table, crème brûlée, ISO 8601, kernel panic, Строка, photosynthesis",
}
"""The texts by which vector spaces are told apart. To change one is to raise the schema's version."""

_BELOW_PROBES = 0.9
_KEPT = np.dtype("<f2")
_STEPS = 100  # of a number between 0 and 1: what computers disagree about is far finer


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSpace:
    """A vector space of an index. `id` is part of the keys of its vectors and stays once it is founded.

    `declared` is what the embedder that last proved to be of this space says of itself, backend included;
    `probes` are its founder's vectors as little-endian numbers of 16 bits, one row a role.
    """

    id: str
    declared: VectorSpace
    probes: bytes

    @property
    def origin(self) -> float:
        """The cosine of texts that have nothing in common: a tenth below the least of two probes, or 0.0.

        It is near 0 for some models and .7 for others, whose cosines say something only above it. A question
        and its answer in another language may be less alike than two probes, which are mostly in one.
        """
        vectors = _from_bytes(self.probes)
        return max(0.0, _BELOW_PROBES * float((vectors @ vectors.T).min()))

    def may_hold(self, declared: VectorSpace) -> bool:
        """Says whether an embedder that describes itself so can be of this space, if its probes agree.

        Model names and backends may differ: a folder moves, a model is served by another program. Weights and
        pooling may not, where both sides know them; dimension and prefixes may never.
        """
        own = self.declared
        return (
            (own.dimension, own.query_prefix, own.passage_prefix)
            == (declared.dimension, declared.query_prefix, declared.passage_prefix)
            and _are_compatible(own.digest, declared.digest)
            and _are_compatible(own.pooling, declared.pooling)
        )

    def holds(self, declared: VectorSpace, probes: Vectors) -> bool:
        """Says whether vectors of an embedder that made these probes can be compared with those stored."""
        return self.may_hold(declared) and are_alike(_from_bytes(self.probes), probes)


def embed_probes(embedder: Embedder) -> Vectors:
    """Returns the vectors of the probes, shape (3, dimension).

    Raises:
        EmbedderError: The model failed.
    """
    return np.vstack([embedder.embed([text], role) for role, text in PROBES.items()])


def found_space(declared: VectorSpace, probes: Vectors) -> StoredSpace:
    """Returns a new space; equal embedders found equal ones, on whatever computer."""
    steps = np.rint(probes * _STEPS).astype(np.int8)
    identity = f"{space_id(declared)}\0".encode() + steps.tobytes()
    return StoredSpace(
        id=hashlib.sha256(identity).hexdigest()[:32],
        declared=declared,
        probes=probes.astype(_KEPT).tobytes(),
    )


def are_alike(stored: Vectors, made: Vectors) -> bool:
    """Says whether each row is the same text's vector in the same space; rows of length 1."""
    return stored.shape == made.shape and bool((np.sum(stored * made, axis=-1) >= SAME_COSINE).all())


def to_record(space: StoredSpace) -> dict[str, Any]:
    """Returns the space as JSON values."""
    probes = base64.b64encode(space.probes).decode("ascii")
    return {"id": space.id, "declared": asdict(space.declared), "probes": probes}


def from_record(record: Mapping[str, Any]) -> StoredSpace:
    """Reads what `to_record` wrote.

    Raises:
        KeyError, TypeError, ValueError: It is something else.
    """
    return StoredSpace(
        id=record["id"],
        declared=VectorSpace(**record["declared"]),
        probes=base64.b64decode(record["probes"], validate=True),
    )


def _from_bytes(probes: bytes) -> Vectors:
    return np.frombuffer(probes, dtype=_KEPT).reshape(len(PROBES), -1).astype(np.float32)


def _are_compatible(one: str, other: str) -> bool:
    """Says whether two properties are equal, or one of them is not known (empty)."""
    return one == other or not (one and other)
