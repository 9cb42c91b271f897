"""The index as it lies on disk, and against one made anew."""

import os
from typing import Any

from conformance.case import demand
from conformance.instructions import CHECKS
from conformance.product import Product
from conformance.world import World

from retrieval.schema import TableName

_COMPARED: tuple[TableName, ...] = ("pages", "chunks", "links", "terms", "chunk_vectors", "page_vectors")
# When the bytes of a page were read: the only value that is not derived from the folder.
_NOT_COMPARED = frozenset({"seen_ns"})
_MEGABYTE = 1_000_000
_SHOWN = 3


@CHECKS.add("same_as_fresh")
def check_same_as_fresh(world: World) -> None:
    """Each table holds, row by row and vector by vector, what an index made anew holds."""
    fresh = world.fresh()
    for table in _COMPARED:
        ours, theirs = _rows(world.product, table), _rows(fresh, table)
        more = [row for row in ours if row not in theirs][:_SHOWN]
        fewer = [row for row in theirs if row not in ours][:_SHOWN]
        counts = f"{len(ours)} rows, a new index {len(theirs)}"
        demand(ours == theirs, f"{table}: {counts}; only here: {more}; only there: {fewer}")


@CHECKS.add("version_unchanged")
def check_version_unchanged(world: World) -> None:
    """No file of the index came, went or grew since it was remembered, and every page was unchanged."""
    demand(world.product.index_files() == world.files_before, "the run wrote to the index")
    pages = world.report.pages
    demand(pages.unchanged == pages.total, f"{pages.unchanged} of {pages.total} pages were unchanged")


@CHECKS.add("no_new_files")
def check_no_new_files(world: World) -> None:
    """No file of the index came since it was remembered."""
    new = world.product.index_files().keys() - world.files_before.keys()
    demand(not new, f"new files in the index: {sorted(new)[:10]}")


@CHECKS.add("index_dir_names")
def check_index_dir_names(world: World, *, max_bytes: int) -> None:
    """No name in the index is longer than so many bytes."""
    names = {part for path in world.product.index_files() for part in path.split(os.sep)}
    longest = max(len(os.fsencode(name)) for name in names)
    demand(longest <= max_bytes, f"a name in the index has {longest} bytes")


@CHECKS.add("disk")
def check_disk(world: World, *, max_files: int, max_factor_vs_fresh: float, slack_mb: float) -> None:
    """The index has few files, and not much more bytes than one made anew."""
    files, fresh = world.product.index_files(), world.fresh().index_files()
    demand(len(files) <= max_files, f"{len(files)} files, at most {max_files}")
    size, bound = sum(files.values()), max_factor_vs_fresh * sum(fresh.values()) + slack_mb * _MEGABYTE
    demand(size <= bound, f"{size} bytes, at most {bound:.0f}")


def _rows(product: Product, table: TableName) -> list[dict[str, Any]]:
    rows = [
        {column: value for column, value in row.items() if column not in _NOT_COMPARED}
        for row in product.rows(table)
    ]
    return sorted(rows, key=repr)
