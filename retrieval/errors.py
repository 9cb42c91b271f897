"""What a reader of the index may ask for in vain."""

from typing import ClassVar

from chunking.errors import WikitrailError


class PageMissing(WikitrailError):
    """There is no page of this path in the index."""

    code: ClassVar[str] = "page-not-found"


class SectionMissing(WikitrailError):
    """The page has no such section or lines."""

    code: ClassVar[str] = "section-not-found"
