"""What a caller may choose about chunking, and the port through which tokens are counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from chunking.model import Dialect

CHUNKER_VERSION = 2
"""Raised whenever the same file would give other chunks, links or metadata: indexes are then built anew."""


class TokenCounter(Protocol):
    """Counts tokens as the embedder will."""

    @property
    def name(self) -> str:
        """Names the vocabulary; a change of it changes chunk borders."""

    @property
    def window(self) -> int:
        """The most tokens, special ones included, that the embedder reads of one text."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Returns the number of tokens of each text, special ones included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkingOptions:
    """`max_tokens` bounds a chunk's embedded text, as the counter's window does in any case."""

    dialect: Dialect = "obsidian"
    max_tokens: int | None = None
