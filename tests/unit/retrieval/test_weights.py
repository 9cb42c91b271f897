"""What a lane weighs: by the script of the query, and by the level of the ladder."""

import pytest

from retrieval.weights import DEFAULT_WEIGHTS


@pytest.mark.parametrize(
    ("query", "weight"),
    [
        ("how do I roll back", DEFAULT_WEIGHTS.dense),
        ("crème brûlée", DEFAULT_WEIGHTS.dense),
        ("E1234 !?", DEFAULT_WEIGHTS.dense),
        ("", DEFAULT_WEIGHTS.dense),
        ("回滚 deploy", DEFAULT_WEIGHTS.dense),
        ("回滚发布", DEFAULT_WEIGHTS.foreign_dense),
        ("как откатить deploy", DEFAULT_WEIGHTS.foreign_dense),
    ],
)
def test_vectors_weigh_little_for_a_query_mostly_in_another_script(query: str, weight: float) -> None:
    assert DEFAULT_WEIGHTS.of_dense(query, "chunk") == weight


def test_vectors_of_pages_weigh_less_than_those_of_passages() -> None:
    assert DEFAULT_WEIGHTS.of_dense("roll back", "page") == DEFAULT_WEIGHTS.page_level
    assert DEFAULT_WEIGHTS.page_level < DEFAULT_WEIGHTS.dense
    assert DEFAULT_WEIGHTS.of_dense("回滚发布", "page") == DEFAULT_WEIGHTS.foreign_dense


@pytest.mark.parametrize("query", ["roll back", "回滚发布"])
def test_a_choice_weighs_the_same_in_every_script(query: str) -> None:
    assert DEFAULT_WEIGHTS.of_dense(query, "llm") == DEFAULT_WEIGHTS.choice
