"""What size and times prove about a file."""

import time
from dataclasses import replace

import pytest

from indexer.bounds import EVERYTHING
from indexer.changes import KnownPage, detect_changes
from indexer.names import PageNames
from indexer.scan import Scan, ScannedFile

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


def test_time_grows_as_the_number_of_pages() -> None:
    paths = [f"{number}.md" for number in range(20_000)]
    scan = Scan(
        files=tuple(ScannedFile(path, 5, 900 * SECOND, 900 * SECOND) for path in paths[1:]),
        assets=(),
        issues=(),
        unreadable=(),
    )
    known = {path: replace(KNOWN, names=PageNames(path=path)) for path in paths}
    begun = time.process_time()
    changes = detect_changes(scan, known, EVERYTHING, read_all=False, now_ns=2_000 * SECOND)
    assert time.process_time() - begun < 2
    assert [page.path for page in changes.gone] == ["0.md"]
    assert changes.unchanged == frozenset(paths[1:])
