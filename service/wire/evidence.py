"""The request for evidence."""

from typing import Any

from pydantic import ConfigDict, Field, JsonValue

from retrieval.filters import parse_filter
from retrieval.request import (
    MAX_EXPAND_LIMIT,
    MAX_HOPS,
    MAX_K,
    MAX_MAX_TOKENS,
    MAX_TIMEOUT_MS,
    MIN_K,
    MIN_MAX_TOKENS,
    MIN_TIMEOUT_MS,
    EvidenceRequest,
    Expand,
    Mode,
    Rerank,
)
from service.wire.body import RequestBody
from service.wire.text import PathText, QueryText, WikiName

_EXAMPLES: list[JsonValue] = [
    {"query": "how do I roll a deployment back?"},
    {
        "query": "E-1234 after the upgrade",
        "k": 5,
        "path_prefix": "ops/",
        "filters": {
            "type": "and",
            "filters": [
                {"type": "eq", "key": "tags", "value": "runbook"},
                {"type": "gte", "key": "modified", "value": "2026-01-01"},
            ],
        },
    },
]


class ExpandBody(RequestBody):
    """How far links are followed from the hits, and how many passages that may add."""

    hops: int = Field(1, ge=0, le=MAX_HOPS)
    limit: int = Field(8, ge=0, le=MAX_EXPAND_LIMIT)


class EvidenceBody(RequestBody):
    """A request for evidence; all but `query` may be left out."""

    model_config = ConfigDict(json_schema_extra={"examples": _EXAMPLES})

    query: QueryText
    wiki: WikiName = None
    k: int = Field(8, ge=MIN_K, le=MAX_K, description="most passages to answer with")
    max_tokens: int = Field(
        4_000, ge=MIN_MAX_TOKENS, le=MAX_MAX_TOKENS, description="most tokens of all passages together"
    )
    filters: dict[str, Any] | None = Field(
        None,
        description="`{type, key, value}` with eq, ne, gt, gte, lt, lte, in or nin over `path`, `tags`, "
        "`modified` and frontmatter keys, joined by `{type: and|or, filters: [...]}`",
    )
    path_prefix: PathText = Field("", description="a page, or a folder with all below it; empty: everything")
    mode: Mode = Field("auto", description="the level to search at; auto takes the best one available")
    expand: ExpandBody = ExpandBody()
    min_score: float | None = Field(
        None, ge=0, le=1, allow_inf_nan=False, description="least P(relevant); null: the configured floor"
    )
    nearest: bool = Field(False, description="answer with the nearest passages even below the floor")
    explain: bool = False
    generation: int | None = Field(None, ge=1, description="a kept state of the index; null: the newest")
    rerank: Rerank | None = Field(
        None, description="second stage of ranking, one that the service has; null: the configured one"
    )
    timeout_ms: int | None = Field(None, ge=MIN_TIMEOUT_MS, le=MAX_TIMEOUT_MS)

    def to_request(self, wiki: str) -> EvidenceRequest:
        """Returns the request to the wiki of this name.

        Raises:
            InvalidFilter: `filters` does not fit the grammar.
        """
        return EvidenceRequest(
            query=self.query,
            wiki=wiki,
            k=self.k,
            max_tokens=self.max_tokens,
            filters=None if self.filters is None else parse_filter(self.filters),
            path_prefix=self.path_prefix,
            mode=self.mode,
            expand=Expand(hops=self.expand.hops, limit=self.expand.limit),
            min_score=self.min_score,
            nearest=self.nearest,
            explain=self.explain,
            generation=self.generation,
            rerank=self.rerank,
            timeout_ms=self.timeout_ms,
        )
