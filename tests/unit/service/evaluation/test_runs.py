"""Which runs there are."""

import pytest

from service.evaluation.runs import RUNS, default_runs


def test_without_a_model_only_words_and_all_there_is_are_run() -> None:
    assert default_runs(with_model=False) == ("lexical", "full")


def test_the_language_model_has_to_be_asked_for() -> None:
    assert default_runs(with_model=True) == ("lexical", "dense", "fused", "full", "chunk", "page", "words")
    assert "llm" in RUNS


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("lexical", "lexical"),
        ("dense", "chunk"),
        ("full", "chunk"),
        ("page", "page"),
        ("words", "lexical"),
        ("llm", "llm"),
    ],
)
def test_a_run_is_meant_for_a_level(name: str, level: str) -> None:
    assert RUNS[name].level == level


def test_names_are_those_of_the_runs() -> None:
    assert [run.name for run in RUNS.values()] == list(RUNS)
