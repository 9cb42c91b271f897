"""The evidence pack, version 1: what every surface answers. Every key is always present.

Line and character positions are those of `chunking.model.Span`. A field that Python cannot call `from` is
`source` here and `from` in the JSON.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal

from retrieval.warnings import Level, PackWarning, Reason

PACK_VERSION = 1

Lane = Literal["dense", "lexical", "graph"]
Outcome = Literal["used", "unavailable", "partial", "weak"]
Origin = Literal["direct", "expanded"]
Freshness = Literal["fresh", "repaired", "stale", "unknown"]
"""Whether the live file still says what is quoted: yes, yes at repaired lines, no, or not looked at."""

RerankStage = Literal["maxsim", "cross-encoder"]
"""What may look at the best candidates once more."""

RerankReason = Literal[
    "no-query-vector", "token-vectors-missing", "token-vectors-partial", "timeout", "failed"
]
"""Why that looked at fewer candidates than it should, or at none."""


_OF_THE_MOMENT = ("index-stale", "evidence-stale")
"""Warnings about the state of the files, not about what is quoted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A level of the ladder that was tried, and what came of it."""

    level: Level
    outcome: Outcome
    reason: Reason | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankStep:
    """The second stage of ranking, and what came of it; where it is `unavailable` the first one stands."""

    stage: RerankStage
    outcome: Outcome
    reason: RerankReason | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """How the answer was found. `coverage` is the share of passages in scope that have a vector.

    `rerank` is None where no second stage is set or asked for.

    `timings_ms` has the stages of the search that ran, `evidence`, `freshness`, and `total`; `embedding` and
    `lexical` run beside each other.
    """

    level: Level
    steps: tuple[Step, ...]
    lanes: tuple[Lane, ...]
    coverage: float
    rerank: RerankStep | None
    timings_ms: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Where a passage stands; `modified` is ISO 8601 in UTC."""

    path: str
    title: str
    heading_path: tuple[str, ...]
    anchor: str
    url: str
    line_start: int
    line_end: int
    char_start: int
    char_end: int
    text_sha256: str
    page_sha256: str
    modified: str
    commit: str | None
    freshness: Freshness


@dataclass(frozen=True, slots=True, kw_only=True)
class AlsoAt:
    """Another place of the same text."""

    path: str
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Via:
    """A link by which a passage was found, or ranked higher than by itself."""

    source: str
    line: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Scores by lane; None where the lane did not see the passage. Never compared across lanes.

    `dense` is a cosine, at the level llm the place in the choice; `lexical` is BM25, `rerank` both relative
    to the best of the query, mixed with what a second stage found, and `graph` what the best link to the
    passage is worth; the last two are from 0 to 1.
    """

    dense: float | None = None
    lexical: float | None = None
    rerank: float | None = None
    graph: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A passage, verbatim, with its citation. `score` is P(relevant)."""

    rank: int
    chunk_ids: tuple[str, ...]
    score: float
    origin: Origin
    text: str
    citation: Citation
    also_at: tuple[AlsoAt, ...]
    via: tuple[Via, ...]
    scores: Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that the wiki points to and does not hold."""

    kind: Literal["dangling-link"]
    source: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Tokens of the evidence, as the embedder counts them, against what was allowed."""

    max_tokens: int
    tokens: int
    truncated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePack:
    """The answer to one request. `generation` and `config_digest` say what it was computed from."""

    version: int = PACK_VERSION
    query: str
    wiki: str
    pack_id: str = ""
    generation: int
    config_digest: str
    answerable: bool
    retrieval: Retrieval
    evidence: tuple[Evidence, ...]
    gaps: tuple[Gap, ...]
    budget: Budget
    warnings: tuple[PackWarning, ...]


def seal(pack: EvidencePack) -> EvidencePack:
    """Returns `pack` with its `pack_id`.

    The id is "sha256:" and the digest of the pack as JSON (keys sorted, no spaces, ASCII) without
    `pack_id`, `timings_ms`, `freshness` and the warnings about it: the same for the same quotations,
    whenever they are given. A passage that was repaired or left out makes another pack.
    """
    lasting = tuple(warning for warning in pack.warnings if warning.code not in _OF_THE_MOMENT)
    content = to_dict(replace(pack, warnings=lasting))
    del content["pack_id"]
    del content["retrieval"]["timings_ms"]
    for passage in content["evidence"]:
        del passage["citation"]["freshness"]
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return replace(pack, pack_id="sha256:" + hashlib.sha256(canonical.encode("ascii")).hexdigest())


def to_dict(pack: EvidencePack) -> dict[str, Any]:
    """Returns `pack` as JSON-ready dicts, lists and scalars, keys in the order of the fields."""
    content: dict[str, Any] = _to_json(pack)
    return content


def _to_json(value: Any) -> Any:
    if is_dataclass(value):
        return {
            "from" if field.name == "source" else field.name: _to_json(getattr(value, field.name))
            for field in fields(value)
        }
    if isinstance(value, Mapping):
        return {key: _to_json(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return [_to_json(entry) for entry in value]
    return value
