"""Which generations are kept, and clearing away the rest."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from retrieval.schema import TABLES, TableName
from retrieval.store import log
from retrieval.store.generation import Generation

# A reader of head may still be at the version before the newest; it takes milliseconds, and tries again.
_HEAD_MARGIN = timedelta(milliseconds=200)
# The age that cleanup takes is reckoned a moment after ours: the version it starts from must stay.
_MARGIN = 0.05
_NEVER = timedelta(days=36_500)
_STALE_VERSIONS = 6
_HEAD_VERSIONS = 4
_SMALL_FRAGMENTS = 16
_PINNED_FRAGMENTS = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How many generations stay readable, and for how long (in seconds) any replaced one does."""

    keep_generations: int = 3
    keep_for: float = 600.0


def select_kept(history: Sequence[Generation], retention: Retention, now: float) -> tuple[Generation, ...]:
    """Returns the generations to keep of a history, newest first; those before the first that goes go too.

    A generation's age counts from when the next one replaced it. One replaced in the future was so before the
    clock was set back: nobody knows its age, so it counts as old.
    """
    replaced_at = now
    for position, generation in enumerate(history):
        recent = now - retention.keep_for < replaced_at <= now
        if position >= max(1, retention.keep_generations) and not recent:
            return tuple(history[:position])
        replaced_at = generation.created
    return tuple(history)


async def tidy_table(
    table: Any, *, physical: str, name: TableName, kept: Sequence[Generation], pinned: bool
) -> None:
    """Compacts a table, brings its indices up to date and removes the versions that no kept generation needs.

    It does so only when enough has come together to be worth its cost, which is tens of milliseconds. With
    `pinned` the files before stay as well, so that joining them again and again would multiply the table.
    """
    versions = await table.list_versions()
    places = [generation.tables[name] for generation in kept if name in generation.tables]
    named = {place.version for place in places if place.physical == physical}
    stamps = {int(version["version"]): version["timestamp"].timestamp() for version in versions}
    oldest = min((stamp for number, stamp in stamps.items() if number in named), default=time.time())
    stale = sum(stamp < oldest - _MARGIN for stamp in stamps.values())
    fragments = int(max(versions, key=_number)["metadata"]["total_fragments"])
    if stale >= _STALE_VERSIONS or fragments >= (_PINNED_FRAGMENTS if pinned else _SMALL_FRAGMENTS):
        await _compact(table, oldest)


async def _compact(table: Any, oldest: float) -> None:
    """Joins the files of a table, then removes the versions from before `oldest` (seconds since the epoch).

    Both at once would reckon the age of `oldest` at the end of the joining, and remove what must stay. What
    no version names was left by a run that was killed: under the lease nobody else writes.
    """
    await table.optimize(cleanup_older_than=_NEVER)
    begun = time.monotonic()
    await table.optimize(cleanup_older_than=_NEVER)
    # Nothing was left to join, and so long it takes to find that out.
    margin = _MARGIN + 2 * (time.monotonic() - begun)
    age = time.time() - oldest + margin
    if age > 0:  # else the clock was set back: versions of the future wait until it has come
        await table.optimize(cleanup_older_than=timedelta(seconds=age), delete_unverified=True)


async def drop_unnamed_tables(database: Any, kept: Sequence[Generation]) -> None:
    """Removes the tables that no kept generation names: replaced ones, and what a crashed run began."""
    named = {place.physical for generation in kept for place in generation.tables.values()}
    for physical in await list_names(database):
        logical = physical.partition("-")[0]
        if logical in TABLES and physical not in named:
            await database.drop_table(physical)


async def tidy_log(log_table: Any, head_table: Any, kept: Sequence[Generation]) -> None:
    """Keeps the log and head small; only their newest version is ever read."""
    if len(await head_table.list_versions()) < _HEAD_VERSIONS:
        return
    if await log_table.count_rows() > len(kept) + _STALE_VERSIONS:
        await log.forget(log_table, kept)
    await _drop_old_versions(log_table, head_table)


async def shorten_log(log_table: Any, head_table: Any, kept: Sequence[Generation]) -> None:
    """Forgets every generation but the kept ones."""
    await log.forget(log_table, kept)
    await _drop_old_versions(log_table, head_table)


async def _drop_old_versions(*tables: Any) -> None:
    for table in tables:
        await table.optimize(cleanup_older_than=_HEAD_MARGIN, delete_unverified=True)


async def list_names(database: Any) -> tuple[str, ...]:
    """Returns the names of all tables of a database."""
    names: list[str] = []
    page = await database.list_tables()
    names.extend(page.tables)
    while page.page_token:
        page = await database.list_tables(page_token=page.page_token)
        names.extend(page.tables)
    return tuple(names)


def _number(version: Mapping[str, Any]) -> int:
    return int(version["version"])
