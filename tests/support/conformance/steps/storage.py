"""Tampering with the index."""

import asyncio
import shutil
from typing import Any
from unittest.mock import patch

import pyarrow as pa
from conformance.instructions import STEPS
from conformance.world import World

from chunking.options import CHUNKER_VERSION
from indexer import run
from retrieval import schema
from retrieval.store import Retention, open_store, open_writer

_OFF_BY = 100
_READ_ONLY = 0o555


@STEPS.add("reset_index_keep_cache")
def reset_index_keep_cache(world: World) -> None:
    """Removes all tables but the vectors kept by text."""
    for folder in world.product.index_folder.iterdir():
        if not folder.name.startswith("embeddings-"):
            shutil.rmtree(folder)


@STEPS.add("corrupt_line_ranges")
def corrupt_line_ranges(world: World) -> None:
    """Commits chunks whose lines are wrong."""
    asyncio.run(_shift_lines(world))


async def _shift_lines(world: World) -> None:
    store = await open_store(str(world.product.index_folder))
    try:
        async with open_writer(store, retention=Retention(), clock=world.now) as writer:
            base = writer.base
            if base is None:
                raise ValueError("there is nothing to corrupt")
            rows: list[dict[str, Any]] = (
                await writer.rows("chunks", columns=schema.CHUNKS.names)
            ).to_pylist()
            for row in rows:
                row["line_start"] += _OFF_BY
                row["line_end"] += _OFF_BY
            await writer.delete("chunks", "true")
            await writer.append("chunks", pa.Table.from_pylist(rows, schema=schema.CHUNKS))
            await writer.commit(build=base.build, space=base.space, counts=base.counts, assets=base.assets)
    finally:
        store.close()


@STEPS.add("bump_chunker_version")
def bump_chunker_version(world: World) -> None:
    """Lets the indexer be one with another chunker."""
    world.undo.enter_context(patch.object(run, "CHUNKER_VERSION", CHUNKER_VERSION + 1))


@STEPS.add("make_index_readonly")
def make_index_readonly(world: World) -> None:
    """Takes the right to write from the whole index until the case ends, and remembers its files."""
    world.files_before = world.product.index_files()
    folder = world.product.index_folder
    for place in (folder, *folder.rglob("*")):
        mode = place.stat().st_mode
        world.undo.callback(place.chmod, mode)
        place.chmod(mode & _READ_ONLY)
