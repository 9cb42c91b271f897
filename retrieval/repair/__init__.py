"""Where text of an index stands in a page that has changed since. No I/O."""

from retrieval.repair.occurrences import find_nearest
from retrieval.repair.page import MAX_REPAIRED_LENGTH, ChangedPage, Found, read_head_of

__all__ = ["MAX_REPAIRED_LENGTH", "ChangedPage", "Found", "find_nearest", "read_head_of"]
