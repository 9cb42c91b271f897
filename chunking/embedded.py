"""The text the embedder sees, and the hashes that name a chunk."""

import hashlib
import json
from collections.abc import Sequence

from chunking.sizes import Sizer


def write_prefix(title: str | None, heading_path: Sequence[str]) -> str:
    """Joins the title and the headings into one line; a title that the first heading repeats is left out."""
    names = [name for name in heading_path if name]
    if title and names[:1] != [title]:
        names.insert(0, title)
    return " > ".join(names)


def shorten_prefix(prefix: str, sizer: Sizer) -> str:
    """Cuts a prefix down to half the budget at most, so that there is room for text."""
    limit = sizer.max_tokens // 2
    shortened = prefix[: sizer.max_chars]
    while shortened and sizer.measure([shortened])[0] > limit:
        shortened = shortened[: len(shortened) * 3 // 4]
    return shortened.rstrip()


def embed_text(prefix: str, body: str, table_header: str | None = None) -> str:
    """Puts together what is embedded; NUL becomes a blank, because tokenizers stop at it."""
    parts = (prefix, table_header or "", body)
    return "\n".join(part for part in parts if part).replace("\0", " ")


def hash_text(text: str) -> str:
    """Returns the SHA-256 of the text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def identify_chunk(path: str, heading_path: Sequence[str], text_sha256: str, twin: int) -> str:
    """Names a chunk by what it says and where it belongs, not by its position.

    `twin` counts the chunks of the page that are equal in all else, from 0. The name has 32 hex digits.
    """
    key = json.dumps([path, list(heading_path), text_sha256, twin])
    return hashlib.sha256(key.encode("ascii")).hexdigest()[:32]
