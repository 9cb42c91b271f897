"""Committing what was fitted to a wiki: the tables of the newest generation with a tuning, or without one.

Later runs and purges carry it over. Going back to an old generation brings that one's back.
"""

import time
from dataclasses import replace

from retrieval.store import Clock, Generation, IndexMissing, Retention, open_writer, using_store
from retrieval.tuning import Tuning


async def commit_tuning(
    uri: str, tuning: Tuning | None, *, retention: Retention, clock: Clock = time.time
) -> Generation:
    """Publishes the newest generation again with this tuning; it is returned as it is if it has that already.

    Raises:
        IndexMissing: There is no index, or nothing was committed to it.
        IndexBusy: A run writes the index.
    """
    async with (
        using_store(uri) as store,
        open_writer(store, retention=retention, clock=clock) as writer,
    ):
        newest = writer.base
        if newest is None:
            raise IndexMissing("the index holds no generation yet; run `wikitrail index`")
        return newest if newest.tuning == tuning else await writer.activate(replace(newest, tuning=tuning))
