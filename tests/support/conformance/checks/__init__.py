"""What a case may check. A function has the name of its check, and its parameters are the check's keys."""

from conformance.checks import (
    alternatives,
    links,
    load,
    pages,
    requests,
    runs,
    search,
    sections,
    storage,
    vectors,
)

__all__ = [
    "alternatives",
    "links",
    "load",
    "pages",
    "requests",
    "runs",
    "search",
    "sections",
    "storage",
    "vectors",
]
