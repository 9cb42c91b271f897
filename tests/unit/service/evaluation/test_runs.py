"""Which runs there are."""

import pytest

from service.evaluation.runs import RUNS, default_runs


def test_without_a_model_only_words_and_all_there_is_are_run() -> None:
    assert default_runs(with_model=False) == ("full", "lexical")


def test_the_language_model_has_to_be_asked_for() -> None:
    everything = ("full", "lexical", "dense", "fused", "reranked", "graph", "page", "words")
    assert default_runs(with_model=True) == everything
    assert tuple(RUNS) == (*everything, "llm")


@pytest.mark.parametrize(
    ("name", "mode", "lanes", "rerank", "level"),
    [
        ("full", "auto", ["dense", "graph", "lexical"], True, "chunk"),
        ("lexical", "lexical", ["lexical"], True, "lexical"),
        ("dense", "chunk", ["dense"], True, "chunk"),
        ("fused", "chunk", ["dense", "lexical"], False, "chunk"),
        ("reranked", "chunk", ["dense", "lexical"], True, "chunk"),
        ("graph", "chunk", ["dense", "graph", "lexical"], True, "chunk"),
        ("page", "page", ["dense", "graph", "lexical"], True, "page"),
        ("words", "lexical", ["dense", "graph", "lexical"], True, "lexical"),
        ("llm", "llm", ["dense", "graph", "lexical"], True, "llm"),
    ],
)
def test_what_each_run_has(name: str, mode: str, lanes: list[str], rerank: bool, level: str) -> None:
    run = RUNS[name]
    assert (run.mode, sorted(run.ablation.lanes), run.ablation.rerank, run.level) == (
        mode,
        lanes,
        rerank,
        level,
    )


def test_names_are_those_of_the_runs() -> None:
    assert [run.name for run in RUNS.values()] == list(RUNS)
