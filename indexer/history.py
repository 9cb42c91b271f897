"""The generations of an index: which are kept, and going back to one of them.

Going back publishes the old tables under a new number. It changes what queries see and not the wiki's folder,
so the next run brings the index up to date again.
"""

import time
from contextlib import suppress

from retrieval.store import (
    Clock,
    Generation,
    GenerationMissing,
    Head,
    Retention,
    Store,
    open_store,
    open_writer,
)
from retrieval.store.retention import select_kept


async def list_generations(
    uri: str, *, retention: Retention, clock: Clock = time.time
) -> tuple[Generation, ...]:
    """Returns the generations that are kept, the newest first: each can be read, and activated.

    Raises:
        IndexMissing: There is no index.
    """
    store = await open_store(uri)
    try:
        return select_kept(await store.generations(), retention, clock())
    finally:
        store.close()


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


async def take_back_run(uri: str, before: Head, *, retention: Retention, clock: Clock = time.time) -> None:
    """Frees the lease of a run that was killed, and goes back to the generation from before it.

    `before` is the head as it was when the run began. What the run published stays where there was no
    generation before, where that one was cleaned up since, and where another run has written meanwhile.

    Raises:
        StoreError: The index cannot be written, or another run is writing it.
    """
    store = await open_store(uri)
    try:
        killed = await store.head()
        if not killed.holder:
            return
        async with open_writer(store, retention=retention, clock=clock) as writer:
            alone = killed.epoch == before.epoch + 1
            if alone and 0 < before.generation < killed.generation:
                with suppress(GenerationMissing):
                    await writer.activate(await _find(store, before.generation))
    finally:
        store.close()


async def _find(store: Store, number: int) -> Generation:
    return (await store.snapshot(number)).generation
