"""The conformance suite itself: every check can fail, and nothing that it does not know passes in silence."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conformance.case import Case, CaseFailure, UnknownInstruction, variants
from conformance.instructions import CHECKS, STEPS
from conformance.runner import run_case
from conformance.world import World

PAGE = "# One\n\nzorb [[two]]\n\n## Two\n\nmore\n"


def make_case(**rest: Any) -> Case:
    fields = ("title", "source", "kind", "severity", "report", "expected", "assertion")
    files = {"one.md": PAGE, "two.md": "# Two\n\nend\n", "three.md": "# Three\n\nlonely\n"}
    return Case(**{"id": "T-1", **dict.fromkeys(fields, ""), "input_files": files, **rest})


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(make_case(), tmp_path_factory.mktemp("case"))
    world.index()
    yield world
    world.close()


ONE = {"heading_path": ["One"], "start": 1, "end": 3, "has": ["zorb"]}
TWO = {"heading_path": ["One", "Two"], "start": 5, "end": 7}
LINK = {"line": 3, "status": "resolved", "target": "two.md"}
SEARCH = {"check": "search", "body": {"query": "zorb"}}


@pytest.mark.parametrize(
    "check",
    [
        {"check": "sections", "path": "one.md", "sections": [ONE, TWO]},
        {"check": "coverage", "path": "one.md", "exclude_lines": []},
        {"check": "verbatim", "path": "one.md"},
        {"check": "links", "path": "one.md", "links": [LINK]},
        {"check": "neighbors", "path": "one.md", "equals": ["two.md"]},
        {"check": "health"},
        {"check": "same_as_fresh"},
        {"check": "vectors_match_texts"},
        {**SEARCH, "include": [{"path": "one.md", "line": 3}], "only": ["one.md", "two.md"], "n": 2},
    ],
    ids=lambda check: check["check"],
)
def test_what_is_so_passes(world: World, check: dict[str, Any]) -> None:
    CHECKS.run(world, check)


@pytest.mark.parametrize(
    "check",
    [
        {"check": "sections", "path": "one.md", "sections": [ONE]},
        {"check": "sections", "path": "one.md", "sections": [ONE, {**TWO, "end": 5}]},
        {"check": "sections", "path": "one.md", "sections": [ONE, {**TWO, "start": 4}]},
        {"check": "sections", "path": "one.md", "sections": [{**ONE, "has": ["absent"]}, TWO]},
        {"check": "sections", "path": "one.md", "sections": [{**ONE, "lacks": ["zorb"]}, TWO]},
        {"check": "sections", "path": "two.md", "sections": [{**ONE, "heading_path": ["Two"]}]},
        {"check": "chunk_with", "path": "one.md", "contains": "more", "start": 6},
        {"check": "chunk_with", "path": "one.md", "contains": "more", "start": 5, "heading_path": ["One"]},
        {"check": "no_text", "chars": ["z"]},
        {"check": "links", "path": "one.md", "links": []},
        {"check": "links", "path": "one.md", "links": [LINK, LINK]},
        {"check": "links", "path": "one.md", "links": [{**LINK, "embed": True}]},
        {"check": "neighbors", "path": "one.md", "equals": []},
        {**SEARCH, "include": [{"path": "three.md"}]},
        {**SEARCH, "include": [{"path": "one.md", "line": 5}]},
        {**SEARCH, "include": [{"path": "one.md", "max_span": 1}]},
        {**SEARCH, "body": {"query": "lonely"}, "include": [{"path": "three.md", "source": "graph"}]},
        {**SEARCH, "exclude": [{"path": "one.md"}]},
        {**SEARCH, "only": []},
        {**SEARCH, "top1": {"path": "two.md"}},
        {**SEARCH, "n": 0},
        {**SEARCH, "n_max": 0},
        {**SEARCH, "status": 422},
        {**SEARCH, "max_s": 0},
        {**SEARCH, "score_min_exclusive": 1},
        {"check": "embed_calls", "eq": 0},
        {"check": "embed_calls", "max": 1},
        {"check": "time", "max_s": 0},
        {"check": "report", "mentions": ["one.md"]},
        {"check": "report", "failed_count_min": 1},
        {"check": "status", "pending": 1, "failed": []},
        {"check": "model_id", "equals": "other"},
        {"check": "count", "chunks": 0},
        {"check": "count", "pages_min": 4},
        {"check": "page", "path": "one.md", "chunks": 0},
        {"check": "all_vectors", "dim": 8},
        {"check": "index_dir_names", "max_bytes": 5},
        {"check": "disk", "max_files": 1, "max_factor_vs_fresh": 5, "slack_mb": 10},
        {"check": "version_unchanged"},
        {"check": "no_new_files"},
        {"check": "document", "path": "absent.md", "status": 200},
        {"check": "document", "path": "one.md", "status": 200, "body_lacks": ["zorb"]},
        {"check": "section_read", "path": "one.md", "heading_path": ["One"], "has": ["more"]},
        {"check": "section_read", "path": "one.md", "heading_path": ["Absent"], "has": []},
        {"check": "http", "method": "POST", "path": "<search>", "status_in": [200]},
        {"check": "any_of", "options": [[{"check": "time", "max_s": 0}], [{"check": "no_new_files"}]]},
    ],
    ids=str,
)
def test_what_is_not_so_fails(world: World, check: dict[str, Any]) -> None:
    with pytest.raises(CaseFailure):
        CHECKS.run(world, check)


@pytest.mark.parametrize(
    "check",
    [
        {"check": "unheard-of"},
        {"check": "health", "unheard_of": 1},
        {"check": "page", "path": "one.md"},
        {"check": "links", "path": "one.md", "links": [{**LINK, "unheard_of": 1}]},
        {"check": "any_of", "options": [[{"check": "unheard-of"}], [{"check": "health"}]]},
    ],
    ids=str,
)
def test_a_check_that_is_not_known_is_not_passed_over(world: World, check: dict[str, Any]) -> None:
    with pytest.raises(UnknownInstruction):
        CHECKS.run(world, check)


@pytest.mark.parametrize(
    "step",
    [
        {"do": "unheard-of"},
        {"do": "index", "unheard_of": 1},
        {"do": "index", "expect": "unheard-of"},
        {"do": "embedder", "mode": "unheard-of"},
        {"do": "embedder", "mode": "hang", "ms": 1},
    ],
    ids=str,
)
def test_a_step_that_is_not_known_is_not_passed_over(world: World, step: dict[str, Any]) -> None:
    with pytest.raises(UnknownInstruction):
        STEPS.run(world, step)


def test_a_stale_index_is_not_the_same_as_a_fresh_one(tmp_path: Path) -> None:
    steps = [
        {"do": "index"},
        {"do": "write", "path": "one.md", "content": "# One\n\nother\n"},
        {"do": "check", "checks": [{"check": "same_as_fresh"}]},
    ]
    with pytest.raises(CaseFailure, match="pages"):
        run_case(make_case(steps=steps), tmp_path)


def test_planted_line_numbers_are_seen(tmp_path: Path) -> None:
    check = {"check": "sections", "path": "one.md", "sections": [ONE, TWO]}
    steps = [{"do": "index"}, {"do": "corrupt_line_ranges"}, {"do": "check", "checks": [check]}]
    with pytest.raises(CaseFailure, match="lines 101-103"):
        run_case(make_case(steps=steps), tmp_path)


def test_a_case_is_run_once_for_each_kill_point() -> None:
    kill = {"do": "index_full_and_kill9", "points": [0.5, "before_switch"]}
    case = make_case(steps=[{"do": "index"}, kill, {"do": "index"}])
    points = [variant.steps[1]["points"] for variant in variants(case)]
    assert points == [[0.5], ["before_switch"]]


def test_a_field_that_no_case_has_is_refused() -> None:
    with pytest.raises(TypeError, match="unheard_of"):
        make_case(unheard_of=1)
