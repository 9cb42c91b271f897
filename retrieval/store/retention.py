"""Which generations are kept, and clearing away the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from retrieval.schema import TABLES, TableName
from retrieval.store import log
from retrieval.store.generation import Generation

# A reader of head may still be at the version before the newest; it takes milliseconds, and tries again.
_HEAD_MARGIN = timedelta(milliseconds=200)
# The age that cleanup takes is reckoned a moment after ours: the version it starts from must stay.
_VERSION_MARGIN = timedelta(milliseconds=50)
_STALE_VERSIONS = 8
_SMALL_FRAGMENTS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How many generations stay readable, and for how long (in seconds) any replaced one does."""

    keep_generations: int = 3
    keep_for: float = 600.0


def select_kept(history: Sequence[Generation], retention: Retention, now: float) -> tuple[Generation, ...]:
    """Returns the generations to keep of a history, newest first.

    A generation's age counts from when the next one replaced it.
    """
    kept: list[Generation] = []
    replaced_at = now
    for position, generation in enumerate(history):
        if position < max(1, retention.keep_generations) or replaced_at > now - retention.keep_for:
            kept.append(generation)
        replaced_at = generation.created
    return tuple(kept)


async def tidy_table(table: Any, *, physical: str, name: TableName, kept: Sequence[Generation]) -> None:
    """Compacts a table, brings its indices up to date and removes the versions that no kept generation needs.

    It does so only when enough has come together to be worth its cost, which is tens of milliseconds.
    """
    versions = await table.list_versions()
    places = [generation.tables[name] for generation in kept if name in generation.tables]
    named = {place.version for place in places if place.physical == physical}
    stamps = [version["timestamp"] for version in versions]
    oldest = min(
        (stamp for version, stamp in zip(versions, stamps, strict=True) if version["version"] in named),
        default=None,
    )
    stale = sum(stamp < oldest for stamp in stamps) if oldest else 0
    fragments = int(max(versions, key=_number)["metadata"]["total_fragments"])
    if stale >= _STALE_VERSIONS or fragments >= _SMALL_FRAGMENTS:
        await table.optimize(cleanup_older_than=_age(oldest) + _VERSION_MARGIN if oldest else None)


async def drop_unnamed_tables(database: Any, kept: Sequence[Generation]) -> None:
    """Removes the tables that no kept generation names: replaced ones, and what a crashed run began."""
    named = {place.physical for generation in kept for place in generation.tables.values()}
    for physical in await list_names(database):
        logical = physical.partition("-")[0]
        if logical in TABLES and physical not in named:
            await database.drop_table(physical)


async def tidy_log(log_table: Any, head_table: Any, kept: Sequence[Generation]) -> None:
    """Keeps the log and head small; only their newest version is ever read."""
    if len(await head_table.list_versions()) < _STALE_VERSIONS:
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
        await table.optimize(cleanup_older_than=_HEAD_MARGIN)


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


def _age(stamp: datetime) -> timedelta:
    # LanceDB stamps versions in local time without a zone.
    return datetime.now() - stamp
