"""A candidate: a chunk that some lane found, with all that evidence needs to cite it."""

from dataclasses import dataclass

from chunking.model import Span
from retrieval.pack import Origin, Scores, Via


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A chunk on its way to become evidence.

    `ordinal`, `section`, `span`, `text_sha256`, `tokens` and `heading_only` are as in `chunking.model.Chunk`;
    `tokens` counts the embedded text. `modified` is in seconds since 1970. `score` is P(relevant).
    """

    chunk_id: str
    page_id: str
    path: str
    title: str
    heading_path: tuple[str, ...]
    anchor: str
    ordinal: int
    section: int
    span: Span
    text: str
    text_sha256: str
    page_sha256: str
    tokens: int
    modified: float
    heading_only: bool
    score: float
    scores: Scores
    origin: Origin = "direct"
    via: tuple[Via, ...] = ()
