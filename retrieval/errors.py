"""What a reader of the index may ask for in vain."""

from collections.abc import Mapping
from typing import ClassVar

from chunking.errors import WikitrailError
from retrieval.pack import RerankStage


class PageMissing(WikitrailError):
    """There is no page of this path in the index."""

    code: ClassVar[str] = "page-not-found"


class SectionMissing(WikitrailError):
    """The page has no such section or lines."""

    code: ClassVar[str] = "section-not-found"


class LanguageGuessFailed(WikitrailError):
    """The model that guesses the language of pages cannot be loaded, which takes room for temporary files."""

    code: ClassVar[str] = "language-guess-failed"


class RerankMissing(WikitrailError):
    """A request asks for a second stage of ranking that is not set up.

    `problems` maps the field to what is wrong with it.
    """

    code: ClassVar[str] = "rerank-not-set-up"

    def __init__(self, stage: RerankStage) -> None:
        message = f"{stage} is not set up here; {_SET_UP[stage]}"
        super().__init__(f"rerank: {message}")
        self.problems = {"rerank": message}


_SET_UP: Mapping[RerankStage, str] = {
    "maxsim": "set `rerank` to it and index the wiki again, so that the index has the tokens of its passages",
    "cross-encoder": "set `cross_encoder` to the folder of such a model",
}
