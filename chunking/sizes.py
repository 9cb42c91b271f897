"""How large texts are for the embedder."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from chunking.options import TokenCounter

_BATCH = 1_024
"""Texts that are counted in one call: a tokenizer keeps kilobytes for each until it returns."""

CHARS_PER_TOKEN = 16
"""Characters that count as one token at least: to WordPiece, a word of a million letters is a single one."""

Floats = npt.NDArray[np.float64]


class Sizer:
    """Measures texts in tokens, special ones left out, and never counts a text that is too long anyway."""

    __slots__ = ("_counter", "max_chars", "max_tokens", "special_tokens")

    def __init__(self, counter: TokenCounter, max_tokens: int) -> None:
        self._counter = counter
        self.max_tokens = max_tokens
        self.max_chars = max_tokens * CHARS_PER_TOKEN
        self.special_tokens = counter.count([""])[0]

    def count(self, texts: Sequence[str]) -> list[int]:
        """Returns exact tokens, special ones included, as the budget counts them."""
        counts: list[int] = []
        for start in range(0, len(texts), _BATCH):
            counts += self._counter.count(texts[start : start + _BATCH])
        return counts

    def measure_ranges(self, text: str, starts: Sequence[int], ends: Sequence[int]) -> Floats:
        """Returns what `measure` does for each `text[start:end]`, without a copy of them all."""
        sizes = [
            self.measure([text[first:last] for first, last in zip(starts[i:j], ends[i:j], strict=True)])
            for i, j in zip(
                range(0, len(starts), _BATCH), range(_BATCH, len(starts) + _BATCH, _BATCH), strict=True
            )
        ]
        return np.concatenate(sizes)

    def measure(self, texts: Sequence[str]) -> Floats:
        """Returns tokens, or a sixteenth of the characters where that is more.

        A text beyond `max_chars` is taken to hold a token for each character.
        """
        lengths = np.array([len(text) for text in texts], dtype=np.float64)
        short = np.flatnonzero(lengths <= self.max_chars)
        sizes = lengths.copy()
        counts = self.count([texts[int(index)] for index in short])
        sizes[short] = np.maximum(
            np.array(counts, dtype=np.float64) - self.special_tokens, lengths[short] / CHARS_PER_TOKEN
        )
        return sizes
