"""What may be asked. The border checks a request against these limits; nothing below checks again."""

from dataclasses import dataclass, field
from typing import Literal

from retrieval.filters import Filter

MAX_QUERY_LENGTH = 10_000
"""Characters. A longer query is refused rather than cut without notice."""

MIN_K, MAX_K = 1, 100
MIN_MAX_TOKENS, MAX_MAX_TOKENS = 16, 100_000
MAX_HOPS = 3
MAX_EXPAND_LIMIT = 50
MIN_TIMEOUT_MS, MAX_TIMEOUT_MS = 100, 60_000
MAX_PATH_PREFIX_LENGTH = 4_096

Mode = Literal["auto", "chunk", "page", "llm", "lexical"]
"""The level to search at; `auto` takes the best one available."""

Rerank = Literal["none", "maxsim", "cross-encoder"]
"""The second stage of ranking: late interaction with the tokens of the best candidates, or another model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expand:
    """How far links are followed from the hits, and how many passages that may add."""

    hops: int = 1
    limit: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRequest:
    """One request for evidence.

    `min_score` is P(relevant), None for the configured floor. `nearest` asks for the nearest passages even
    below it. `generation` pins a state of the index, None for the newest. `rerank` None means what is set up,
    `timeout_ms` None the service's own deadline.
    """

    query: str
    wiki: str = "default"
    k: int = 8
    max_tokens: int = 4_000
    filters: Filter | None = None
    path_prefix: str = ""
    mode: Mode = "auto"
    expand: Expand = field(default_factory=Expand)
    min_score: float | None = None
    nearest: bool = False
    explain: bool = False
    generation: int | None = None
    rerank: Rerank | None = None
    timeout_ms: int | None = None
