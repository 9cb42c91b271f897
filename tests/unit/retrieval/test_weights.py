"""What a lane weighs: by what the embedder knows of the script, and by the level of the ladder."""

import pytest

from retrieval.weights import DEFAULT_WEIGHTS


def test_vectors_weigh_little_where_the_model_has_hardly_seen_the_script() -> None:
    known, foreign = (DEFAULT_WEIGHTS.of_dense("chunk", foreign=foreign) for foreign in (False, True))
    assert (known, foreign) == (DEFAULT_WEIGHTS.dense, DEFAULT_WEIGHTS.foreign_dense)
    assert foreign < known


def test_vectors_of_pages_weigh_less_than_those_of_passages() -> None:
    assert DEFAULT_WEIGHTS.of_dense("page", foreign=False) == DEFAULT_WEIGHTS.page_level
    assert DEFAULT_WEIGHTS.page_level < DEFAULT_WEIGHTS.dense
    assert DEFAULT_WEIGHTS.of_dense("page", foreign=True) == DEFAULT_WEIGHTS.foreign_dense


@pytest.mark.parametrize("foreign", [False, True])
def test_a_choice_weighs_the_same_in_every_script(foreign: bool) -> None:
    assert DEFAULT_WEIGHTS.of_dense("llm", foreign=foreign) == DEFAULT_WEIGHTS.choice
