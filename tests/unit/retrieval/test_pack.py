"""The shape of the pack, its identity, and the words of its warnings."""

import json
from dataclasses import replace
from typing import get_args

import pytest

from retrieval import warnings
from retrieval.pack import (
    AlsoAt,
    Budget,
    Citation,
    Evidence,
    EvidencePack,
    Gap,
    RerankStep,
    Retrieval,
    Scores,
    Step,
    Via,
    seal,
    to_dict,
)
from retrieval.warnings import Code, Level, PackWarning, Reason, embedding_degraded

CITATION = Citation(
    path="ops/deploy.md",
    title="Deploy",
    heading_path=("Deploy", "Rollback"),
    anchor="rollback",
    url="/pages/ops/deploy.md#rollback",
    line_start=40,
    line_end=58,
    char_start=1802,
    char_end=2511,
    text_sha256="t",
    page_sha256="p",
    modified="2026-11-30T00:00:00Z",
    commit=None,
    freshness="fresh",
)
EVIDENCE = Evidence(
    rank=1,
    chunk_ids=("c1",),
    score=0.83,
    origin="direct",
    text="text",
    citation=CITATION,
    also_at=(AlsoAt(path="copy.md", line_start=3, line_end=9),),
    via=(Via(source="ops/index.md", line=12, kind="wikilink"),),
    scores=Scores(lexical=4.5),
)
PACK = EvidencePack(
    query="how to roll back \ud800",
    wiki="default",
    generation=42,
    config_digest="d",
    answerable=True,
    retrieval=Retrieval(
        level="chunk",
        steps=(Step(level="chunk", outcome="used", reason=None),),
        lanes=("dense", "lexical"),
        coverage=1.0,
        rerank=RerankStep(stage="maxsim", outcome="partial", reason="token-vectors-partial"),
        timings_ms={"total": 12.5},
    ),
    evidence=(EVIDENCE,),
    gaps=(Gap(kind="dangling-link", source="ops/deploy.md", target="Ghost"),),
    budget=Budget(max_tokens=4000, tokens=12, truncated=False),
    warnings=(embedding_degraded("page", "chunk-vectors-missing", coverage=0.25),),
)


def test_every_key_is_present_in_the_stated_order() -> None:
    assert to_dict(PACK) == {
        "version": 1,
        "query": "how to roll back \ud800",
        "wiki": "default",
        "pack_id": "",
        "generation": 42,
        "config_digest": "d",
        "answerable": True,
        "retrieval": {
            "level": "chunk",
            "steps": [{"level": "chunk", "outcome": "used", "reason": None}],
            "lanes": ["dense", "lexical"],
            "coverage": 1.0,
            "rerank": {"stage": "maxsim", "outcome": "partial", "reason": "token-vectors-partial"},
            "timings_ms": {"total": 12.5},
        },
        "evidence": [
            {
                "rank": 1,
                "chunk_ids": ["c1"],
                "score": 0.83,
                "origin": "direct",
                "text": "text",
                "citation": {
                    "path": "ops/deploy.md",
                    "title": "Deploy",
                    "heading_path": ["Deploy", "Rollback"],
                    "anchor": "rollback",
                    "url": "/pages/ops/deploy.md#rollback",
                    "line_start": 40,
                    "line_end": 58,
                    "char_start": 1802,
                    "char_end": 2511,
                    "text_sha256": "t",
                    "page_sha256": "p",
                    "modified": "2026-11-30T00:00:00Z",
                    "commit": None,
                    "freshness": "fresh",
                },
                "also_at": [{"path": "copy.md", "line_start": 3, "line_end": 9}],
                "via": [{"from": "ops/index.md", "line": 12, "kind": "wikilink"}],
                "scores": {"dense": None, "lexical": 4.5, "rerank": None, "graph": None},
            }
        ],
        "gaps": [{"kind": "dangling-link", "from": "ops/deploy.md", "target": "Ghost"}],
        "budget": {"max_tokens": 4000, "tokens": 12, "truncated": False},
        "warnings": [
            {
                "code": "embedding-degraded",
                "message": "Meaning counted for less in this search: the passages have no vectors yet."
                " It used page vectors and words.",
                "level": "page",
                "reason": "chunk-vectors-missing",
                "retryable": True,
                "detail": {"coverage": 0.25},
            }
        ],
    }
    assert list(to_dict(PACK))[:4] == ["version", "query", "wiki", "pack_id"]
    json.dumps(to_dict(PACK), allow_nan=False)


def test_pack_id_leaves_out_time_freshness_and_itself() -> None:
    sealed = seal(PACK)
    assert sealed.pack_id.startswith("sha256:")
    assert len(sealed.pack_id) == len("sha256:") + 64
    later = replace(
        sealed,
        retrieval=replace(PACK.retrieval, timings_ms={"total": 99.0}),
        evidence=(replace(EVIDENCE, citation=replace(CITATION, freshness="unknown")),),
    )
    assert seal(later).pack_id == sealed.pack_id


@pytest.mark.parametrize(
    "other",
    [
        replace(PACK, query="else"),
        replace(PACK, generation=43),
        replace(PACK, config_digest="e"),
        replace(PACK, retrieval=replace(PACK.retrieval, lanes=("lexical",))),
        replace(PACK, evidence=()),
        replace(PACK, warnings=()),
    ],
)
def test_pack_id_tells_other_answers_apart(other: EvidencePack) -> None:
    assert seal(other).pack_id != seal(PACK).pack_id


MADE: tuple[PackWarning, ...] = (
    *(embedding_degraded(level, reason) for level in get_args(Level) for reason in get_args(Reason)),
    warnings.no_relevant_evidence("lexical", best=None, floor=0.1),
    warnings.llm_fallback_used(),
    warnings.llm_unavailable("lexical", is_set_up=True),
    warnings.llm_unavailable("lexical", is_set_up=False),
    warnings.index_stale(changed=2),
    warnings.evidence_stale(["a.md"]),
    warnings.pack_truncated(max_tokens=100),
    warnings.graph_truncated(),
    warnings.page_issues(pages=3),
)


def test_every_code_has_a_constructor() -> None:
    assert {warning.code for warning in MADE} == set(get_args(Code))


def test_every_message_is_a_sentence_of_its_own() -> None:
    assert all(warning.message[0].isupper() and warning.message.endswith(".") for warning in MADE)
    assert len({warning.message for warning in MADE}) == len(MADE)


def test_only_degradation_has_a_reason() -> None:
    assert all((warning.reason is not None) == (warning.code == "embedding-degraded") for warning in MADE)


def test_asking_again_helps_only_where_there_is_a_language_model() -> None:
    assert [warnings.llm_unavailable("lexical", is_set_up=there).retryable for there in (True, False)] == [
        True,
        False,
    ]
