"""Examples of answers, for the OpenAPI document."""

from pydantic import JsonValue

CITATION: dict[str, JsonValue] = {
    "path": "ops/deploy.md",
    "title": "Deploy",
    "heading_path": ["Deploy", "Rollback"],
    "anchor": "rollback",
    "url": "/v1/pages/ops/deploy.md#rollback",
    "line_start": 40,
    "line_end": 42,
    "char_start": 1802,
    "char_end": 1864,
    "text_sha256": "b3576122e4f9ad6db9da30a55178f7d878915c565368d16c8bce3b9c5e9868a9",
    "page_sha256": "d9939a2d37532d0c640372fa5cdb7c195b46ce0cc7e364caa6acf827178c882f",
    "modified": "2026-11-03T09:12:44Z",
    "commit": None,
    "freshness": "fresh",
}

VERDICTS: dict[str, JsonValue] = {
    "wiki": "default",
    "results": [
        {
            "status": "moved",
            "detail": "it stands in lines 43 to 45 now",
            "path": "ops/deploy.md",
            "line_start": 43,
            "line_end": 45,
            "char_start": 1851,
            "char_end": 1913,
            "quote": None,
        }
    ],
    "counts": {"ok": 0, "moved": 1, "changed": 0, "deleted": 0, "unknown": 0},
    "left_out": 0,
}

PACK: dict[str, JsonValue] = {
    "version": 1,
    "query": "how do I roll a deployment back?",
    "wiki": "default",
    "pack_id": "sha256:7c0f7e2a3fb1a2f86f8d5a0f2e4f6f0f0c6cf5f3a9b1cf0e7c8f1b7d0a9c4e21",
    "generation": 42,
    "config_digest": "sha256:6a781029b0f693ffc368b05226b6b6d6313fed3f8545a69bb8ffdddc64ae6941",
    "answerable": True,
    "retrieval": {
        "level": "lexical",
        "steps": [
            {"level": "chunk", "outcome": "unavailable", "reason": "embedder-loading"},
            {"level": "page", "outcome": "unavailable", "reason": "embedder-loading"},
            {"level": "lexical", "outcome": "used", "reason": None},
        ],
        "lanes": ["lexical", "graph"],
        "coverage": 1.0,
        "rerank": None,
        "timings_ms": {
            "embedding": 2000.6,
            "lexical": 9.2,
            "dense": 0.0,
            "rerank": 0.7,
            "graph": 3.1,
            "evidence": 2.3,
            "freshness": 1.8,
            "total": 2017.9,
        },
    },
    "evidence": [
        {
            "rank": 1,
            "chunk_ids": ["278089ed924e979f7a973462d1d42a88"],
            "score": 0.83,
            "origin": "direct",
            "text": "## Rollback\n\nRun `deploy --rollback` on the host that deployed.",
            "citation": CITATION,
            "also_at": [],
            "via": [],
            "scores": {"dense": None, "lexical": 11.2, "rerank": 1.0, "graph": 0.62},
        }
    ],
    "gaps": [{"kind": "dangling-link", "from": "ops/deploy.md", "target": "Blue green"}],
    "budget": {"max_tokens": 4000, "tokens": 19, "truncated": False},
    "warnings": [
        {
            "code": "embedding-degraded",
            "message": "Meaning counted for less in this search: the embedding model is still loading. "
            "It used words alone: about 93% of full quality, by this wiki's own links and headings.",
            "level": "lexical",
            "reason": "embedder-loading",
            "retryable": True,
            "detail": {"coverage": 1.0, "expected_quality": 0.93, "measured_on": "own-labels"},
        }
    ],
}

PROBLEM: dict[str, JsonValue] = {
    "type": "about:blank",
    "title": "Unprocessable Entity",
    "status": 422,
    "code": "invalid-request",
    "detail": "k: Input should be less than or equal to 100",
    "errors": [{"field": "k", "message": "Input should be less than or equal to 100"}],
    "request_id": "8e3d1f0a4c5b4f0f9a2d6b7c8e9f0a1b",
}
