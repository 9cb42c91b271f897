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
    is_of_process,
    open_writer,
    using_store,
)
from retrieval.store.retention import select_kept


async def list_generations(
    uri: str, *, retention: Retention, clock: Clock = time.time
) -> tuple[Generation, ...]:
    """Returns the generations that are kept, the newest first: each can be read, and activated.

    Raises:
        IndexMissing: There is no index.
    """
    async with using_store(uri) as store:
        return select_kept(await store.generations(), retention, clock())


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
    async with (
        using_store(uri) as store,
        open_writer(store, retention=retention, clock=clock) as writer,
    ):
        # Under the lease nothing is cleaned up, so what can be opened now can be published.
        old = await _find(store, number)
        newest = writer.base
        return old if newest == old else await writer.activate(old)


async def take_back_run(
    uri: str, before: Head, *, pid: int, retention: Retention, clock: Clock = time.time
) -> None:
    """Frees the lease of a run that was killed, and goes back to the generation from before it.

    `before` is the head as it was when the run began, `pid` the process of this machine that made it. What
    the run published stays where there was no generation before, and where another run has written meanwhile.

    Raises:
        StoreError: The index cannot be written, or another run is writing it.
    """
    async with using_store(uri) as store:
        killed = await store.head()
        if not is_of_process(killed.holder, pid):
            return
        async with open_writer(store, retention=retention, clock=clock) as writer:
            alone = killed.epoch == before.epoch + 1
            if alone and 0 < before.generation < killed.generation:
                with suppress(GenerationMissing):
                    await writer.activate(await _find(store, before.generation))


async def _find(store: Store, number: int) -> Generation:
    return (await store.snapshot(number)).generation
