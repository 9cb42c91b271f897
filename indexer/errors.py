"""Why an index run cannot go on. Trouble with one page is an issue row instead, and the run continues.

IndexRunError
├── RootUnavailable   the wiki folder is missing, no folder, or unreadable
└── InvalidPattern    an include or exclude pattern does not parse
"""

from typing import ClassVar

from chunking.errors import WikitrailError


class IndexRunError(WikitrailError):
    """The run stopped; what was committed before it stays as it is."""

    code: ClassVar[str] = "index-run-failed"


class RootUnavailable(IndexRunError):
    """The wiki folder is missing, is no folder, or cannot be listed."""

    code: ClassVar[str] = "root-unavailable"


class InvalidPattern(IndexRunError):
    """An include or exclude pattern of the settings is no gitignore pattern."""

    code: ClassVar[str] = "invalid-pattern"
