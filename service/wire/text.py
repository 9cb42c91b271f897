"""Text of a request, checked at the border."""

from typing import Annotated

import regex
from pydantic import AfterValidator, Field

from retrieval.filters import check_text
from retrieval.request import MAX_PATH_PREFIX_LENGTH, MAX_QUERY_LENGTH

_UNSEEN = regex.compile(r"[\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+")
_MAX_NAME_LENGTH = 200


def _check_query(text: str) -> str:
    if _UNSEEN.fullmatch(text):
        raise ValueError("must not be blank")
    return check_text(text, longest=MAX_QUERY_LENGTH)


def _check_path(text: str) -> str:
    return check_text(text, longest=MAX_PATH_PREFIX_LENGTH)


QueryText = Annotated[
    str,
    Field(min_length=1, max_length=MAX_QUERY_LENGTH, description="what is asked, in the user's words"),
    AfterValidator(_check_query),
]
PathText = Annotated[str, AfterValidator(_check_path)]
WikiName = Annotated[
    str | None, Field(max_length=_MAX_NAME_LENGTH, description="name of the wiki; null: the default one")
]
"""Which wiki is meant. Names are looked up, so nothing else needs to be checked."""
