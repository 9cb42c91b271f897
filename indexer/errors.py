"""Why an index run cannot go on. Trouble with one page is an issue row instead, and the run continues.

IndexRunError
├── RootUnavailable   the wiki folder is missing, no folder, or unreadable
├── RootEmpty         the wiki folder is empty, but the index is not
├── IndexMoved        another run committed between the look and the lease
├── InvalidPattern    an include or exclude pattern does not parse
└── InvalidPath       a path that a run was to be bounded to leads out of the wiki
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


class InvalidPath(IndexRunError):
    """A path that a run was to be bounded to is not one inside the wiki."""

    code: ClassVar[str] = "invalid-path"


class RootEmpty(IndexRunError):
    """The folder holds nothing at all, as one that is not mounted does; the index is left as it is."""

    code: ClassVar[str] = "root-empty"


class IndexMoved(IndexRunError):
    """Other runs committed again and again while this one looked at the wiki."""

    code: ClassVar[str] = "index-moved"
