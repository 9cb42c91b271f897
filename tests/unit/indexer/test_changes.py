"""What size and times prove about a file."""

import pytest

from indexer.changes import KnownPage
from indexer.names import PageNames
from indexer.scan import ScannedFile

SECOND = 1_000_000_000
SEEN = 1_000 * SECOND
KNOWN = KnownPage(
    names=PageNames(path="a.md", title="A", aliases=()),
    size=5,
    mtime_ns=900 * SECOND,
    seen_ns=SEEN,
    page_sha256="",
)


@pytest.mark.parametrize(
    ("size", "mtime", "ctime", "now", "sure"),
    [
        (5, 900, 900, 2_000, True),
        (6, 900, 900, 2_000, False),
        (5, 901, 901, 2_000, False),
        (5, 900, 999, 2_000, False),  # changed, and its time set back, so shortly before the reading
        (5, 900, 900, 999, False),  # read in the future: the clock was set back since
    ],
)
def test_only_an_old_stamp_that_is_the_same_proves_anything(
    size: int, mtime: int, ctime: int, now: int, sure: bool
) -> None:
    file = ScannedFile("a.md", size, mtime * SECOND, ctime * SECOND)
    assert KNOWN.is_surely(file, now * SECOND) is sure
