"""Which generations and versions are kept, also when clocks are set."""

import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from retrieval.store import Build, Counts, Generation, Retention, TableVersion
from retrieval.store.retention import select_kept, tidy_table

NOW = 1_000_000.0
FIRST = Generation(
    number=1,
    commit_id="1",
    parent="",
    created=0.0,
    build=Build(
        schema=1,
        chunker=1,
        analyzer=1,
        dialect="gfm",
        max_tokens=64,
        tokenizer="words",
        space=None,
        dimension=None,
        model=None,
    ),
    space=None,
    counts=Counts(),
    assets="",
)


def history(*created: float) -> list[Generation]:
    """Returns generations made at these times, the newest first."""
    return [replace(FIRST, number=-number, created=moment) for number, moment in enumerate(created)]


@pytest.mark.parametrize(
    ("created", "kept"),
    [
        ((NOW - 1, NOW - 2, NOW - 3, NOW - 4), 4),
        ((NOW - 601, NOW - 602, NOW - 603, NOW - 604), 2),
        ((NOW - 500, NOW - 700, NOW - 800), 2),
        # Made before the clock was set back by a day: nobody knows how old they are.
        ((NOW - 1, NOW + 86_400, NOW + 86_399, NOW + 86_398), 2),
        ((NOW + 86_400, NOW + 86_399, NOW + 86_398), 2),
    ],
)
def test_the_newest_are_kept_and_those_replaced_a_short_time_ago(
    created: tuple[float, ...], kept: int
) -> None:
    generations = history(*created)
    assert select_kept(generations, Retention(keep_generations=2), NOW) == tuple(generations[:kept])


@dataclass
class SlowTable:
    """A table of versions by the time they were made; joining its files takes as long as it says."""

    stamps: dict[int, float]
    joining_seconds: float

    async def list_versions(self) -> list[dict[str, Any]]:
        return [
            {
                "version": version,
                "timestamp": datetime.fromtimestamp(stamp),
                "metadata": {"total_fragments": "20"},
            }
            for version, stamp in self.stamps.items()
        ]

    async def optimize(self, *, cleanup_older_than: timedelta, delete_unverified: bool = False) -> None:
        time.sleep(self.joining_seconds)
        self.joining_seconds = 0.0
        assert cleanup_older_than > timedelta(0), "the storage library takes no other age"
        oldest = time.time() - cleanup_older_than.total_seconds()
        newest = max(self.stamps)
        self.stamps = {
            version: stamp for version, stamp in self.stamps.items() if stamp >= oldest or version == newest
        }


async def tidy(table: SlowTable, named: int) -> set[int]:
    kept = replace(FIRST, tables={"terms": TableVersion(physical="terms-1", version=named)})
    await tidy_table(table, physical="terms-1", name="terms", kept=[kept], pinned=False)
    return set(table.stamps)


@pytest.mark.anyio
async def test_a_named_version_stays_however_long_joining_the_files_takes() -> None:
    now = time.time()
    table = SlowTable({1: now - 30, 2: now - 20, 3: now - 10, 4: now - 0.1}, joining_seconds=0.5)
    assert await tidy(table, named=3) == {3, 4}


@pytest.mark.anyio
async def test_versions_from_before_the_clock_was_set_back_stay_until_their_time_has_come() -> None:
    now = time.time()
    table = SlowTable({1: now - 30, 2: now + 3_600, 3: now + 3_601}, joining_seconds=0.0)
    assert await tidy(table, named=2) == {1, 2, 3}
    table = SlowTable({1: now + 3_600, 2: now - 20, 3: now - 10}, joining_seconds=0.0)
    assert await tidy(table, named=3) == {1, 3}
