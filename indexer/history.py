"""The generations of an index: which are kept, and going back to one of them.

Going back publishes the old tables under a new number. It changes what queries see and not the wiki's folder,
so the next run brings the index up to date again.
"""

import time

from retrieval.store import (
    Clock,
    Generation,
    GenerationMissing,
    IndexMissing,
    Retention,
    Store,
    open_store,
    open_writer,
)


async def activate_generation(
    uri: str, number: int, *, retention: Retention, clock: Clock = time.time
) -> Generation:
    """Publishes a kept generation again and returns what is the newest one now.

    The newest one is that already, and is returned as it is.

    Raises:
        IndexMissing: There is no index, or nothing was committed to it.
        GenerationMissing: The generation is unknown, or its files were cleaned up.
        IndexBusy: A run writes the index.
    """
    store = await open_store(uri)
    try:
        # Under the lease nothing is cleaned up, so what can be opened now can be published.
        async with open_writer(store, retention=retention, clock=clock) as writer:
            old = await _find(store, number)
            newest = writer.base
            return old if newest == old else await writer.activate(old)
    finally:
        store.close()


async def take_back(
    uri: str, before: int | None, *, retention: Retention, clock: Clock = time.time
) -> Generation | None:
    """Frees the lease of a run that was ended, and goes back to the generation from before it.

    What it published stays where there was none before, or where that was cleaned up since. Returns what is
    the newest generation now, None where there is none.

    Raises:
        StoreError: The index cannot be written.
    """
    try:
        store = await open_store(uri)
    except IndexMissing:
        return None
    try:
        async with open_writer(store, retention=retention, clock=clock) as writer:
            newest = writer.base
            if newest is None or before is None or newest.number == before:
                return newest
            try:
                return await writer.activate(await _find(store, before))
            except GenerationMissing:
                return newest
    finally:
        store.close()


async def _find(store: Store, number: int) -> Generation:
    return (await store.snapshot(number)).generation
