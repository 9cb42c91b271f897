"""Which script a text is written in."""

import pytest

from retrieval.scripts import is_mostly_latin


@pytest.mark.parametrize(
    ("text", "latin"),
    [
        ("how do I roll back", True),
        ("crème brûlée", True),
        ("E1234 !?", True),
        ("", True),
        ("回滚 deploy", True),
        ("回滚发布", False),
        ("как откатить deploy", False),
    ],
)
def test_text_is_latin_if_at_most_half_of_its_letters_are_not(text: str, latin: bool) -> None:
    assert is_mostly_latin(text) == latin
