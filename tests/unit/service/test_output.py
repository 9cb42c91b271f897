"""What is printed for people."""

from service.cli.output import sanitize
from service.cli.passages import describe_pack
from service.wire.pack import EvidenceAnswer

PACK = {
    "version": 1,
    "query": "q",
    "wiki": "default",
    "pack_id": "sha256:0",
    "generation": 1,
    "config_digest": "sha256:0",
    "answerable": True,
    "retrieval": {
        "level": "lexical",
        "steps": [],
        "lanes": ["lexical"],
        "rerank": None,
        "coverage": 0.0,
        "timings_ms": {},
    },
    "evidence": [
        {
            "rank": 1,
            "chunk_ids": ["a"],
            "score": 0.834,
            "origin": "expanded",
            "text": "## Rollback\n\nRun it twice.\n",
            "citation": {
                "path": "ops/deploy.md",
                "title": "Deploy",
                "heading_path": ["Deploy", "Rollback"],
                "anchor": "rollback",
                "url": "/v1/pages/ops/deploy.md#rollback",
                "line_start": 9,
                "line_end": 11,
                "char_start": 0,
                "char_end": 27,
                "text_sha256": "0",
                "page_sha256": "0",
                "modified": "2026-01-01T00:00:00Z",
                "commit": None,
                "freshness": "stale",
            },
            "also_at": [{"path": "copy.md", "line_start": 1, "line_end": 3}],
            "via": [{"from": "index.md", "line": 12, "kind": "wikilink"}],
            "scores": {"dense": None, "lexical": 1.0, "rerank": None, "graph": None},
        }
    ],
    "gaps": [],
    "budget": {"max_tokens": 4000, "tokens": 9, "truncated": False},
    "warnings": [
        {
            "code": "evidence-stale",
            "message": "Cited pages have changed.",
            "level": None,
            "reason": None,
            "retryable": True,
            "detail": {},
        }
    ],
}


def test_a_pack_as_people_read_it() -> None:
    assert describe_pack(EvidenceAnswer.model_validate(PACK)) == (
        "1  ops/deploy.md:9-11  Deploy > Rollback  0.83\n"
        "    also at copy.md:1-3\n"
        "    linked from index.md:12\n"
        "    (stale)\n"
        "    ## Rollback\n"
        "\n"
        "    Run it twice.\n"
        "\n"
        "warning: Cited pages have changed."
    )


def test_a_page_cannot_command_the_terminal() -> None:
    assert sanitize("a\x1b[2Jb\x9bc\r\nd\te\x00") == "a\ufffd[2Jb\ufffdc\nd\te\ufffd"


def test_a_page_cannot_turn_the_order_of_a_line_around() -> None:
    assert sanitize("a\u202eb\u2066c\u200fd") == "a\ufffdb\ufffdc\u200fd"


def test_a_name_cannot_make_a_line_of_its_own() -> None:
    (passage,) = PACK["evidence"]
    spoofed = {**passage["citation"], "path": "a\n2  ops/deploy.md:1-2"}
    pack = {**PACK, "evidence": [{**passage, "citation": spoofed}]}
    first = describe_pack(EvidenceAnswer.model_validate(pack)).split("\n")[0]
    assert first == "1  a\u240a2  ops/deploy.md:1-2:9-11  Deploy > Rollback  0.83"
