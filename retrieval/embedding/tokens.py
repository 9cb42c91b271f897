"""Counts tokens with a model's own vocabulary, without loading the model."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from retrieval.embedding.port import EmbedderError


class TokenizerCounter:
    """A `TokenCounter` over a `tokenizer.json`.

    `prefix` is what the model puts before a passage; it is counted with every text.
    """

    def __init__(self, tokenizer_file: Path, *, window: int, prefix: str = "") -> None:
        """Raises EmbedderError where the file is missing or is no tokenizer."""
        # The library's threads do not survive a fork and say so on stderr; one thread counts 3 MB/s.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        from tokenizers import Tokenizer

        try:
            content = tokenizer_file.read_bytes()
            self._tokenizer = Tokenizer.from_buffer(content)
        except (OSError, ValueError) as error:
            raise EmbedderError(f"{tokenizer_file.name} of the embedding model cannot be read") from error
        # The file may carry the truncation and padding of its training.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._window = window
        self._prefix = prefix
        vocabulary = hashlib.sha256(content + prefix.encode()).hexdigest()
        self._name = f"tokenizer-{vocabulary[:12]}"

    @property
    def name(self) -> str:
        """Names the vocabulary by its digest."""
        return self._name

    @property
    def window(self) -> int:
        """The most tokens, special ones included, that the model reads of one text."""
        return self._window

    def count(self, texts: Sequence[str]) -> list[int]:
        """Returns the number of tokens of each text, special ones included."""
        encodings = self._tokenizer.encode_batch_fast([replace_surrogates(self._prefix + t) for t in texts])
        return [len(encoding) for encoding in encodings]


def replace_surrogates(text: str) -> str:
    """Returns `text` with "?" for lone surrogates, which JSON can carry and tokenizers refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")
