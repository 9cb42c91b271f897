"""Resolving the links of a run: those of the pages it read, and those of other pages that it affects.

A link leads elsewhere when a page or asset that shares one of its keys comes, goes or is renamed, or when
the page it leads to gets other headings. Only such links are looked at again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from chunking import Link
from indexer.name_index import NameIndex
from indexer.names import PageNames, asset_keys, page_keys
from indexer.outline import Heading, PageOutline
from indexer.resolver import Resolution, resolve
from indexer.rows import page_id
from indexer.targets import link_keys
from retrieval import schema
from retrieval.outline import Outline, decode_outline
from retrieval.predicates import in_predicate
from retrieval.store import Writer

_PAGES_A_QUERY = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLinks:
    """The links of a page in the order of the page, and what links can point at in it."""

    path: str
    links: tuple[Link, ...]
    outline: PageOutline


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What pages and assets are called, before and after a run; did any asset come or go?"""

    before: Mapping[str, PageNames]
    after: Mapping[str, PageNames]
    assets: tuple[str, ...]
    assets_changed: bool


def outline_for_links(outline: Outline) -> PageOutline:
    """Returns what a link can point at in a page with this outline."""
    headings = [
        Heading(
            heading_path=section.heading_path,
            level=section.level,
            anchor=section.anchor,
            line=section.span.line_start,
        )
        for section in outline.sections
        if section.level > 0
    ]
    return PageOutline(headings=tuple(headings), blocks=outline.blocks)


class Linker:
    """Resolves links against the names and outlines of the wiki as it is after the run."""

    def __init__(self, writer: Writer, names: Names, read: Iterable[PageLinks]) -> None:
        self._writer = writer
        self._names = names
        self._index = NameIndex(names.after.values(), names.assets)
        self._read = {page.path: page for page in read}
        self._outlines = {page.path: page.outline for page in self._read.values()}
        self._unknown: set[str] = set()

    async def link(self) -> None:
        """Writes the links of the pages that were read, and those of other pages that now lead elsewhere."""
        await self._write({page.path: page.links for page in self._read.values()})
        affected = await self._find_affected()
        for start in range(0, len(affected), _PAGES_A_QUERY):
            stored = await self._read_stored(affected[start : start + _PAGES_A_QUERY])
            await self._write({path: tuple(_read_link(row) for row in rows) for path, rows in stored.items()})

    async def _write(self, pages: Mapping[str, Sequence[Link]]) -> None:
        """Resolves the links of pages and writes those pages whose rows are not the stored ones already."""
        new: dict[str, list[dict[str, Any]]] = {path: [] for path in pages}
        for row in await self._resolve(pages):
            new[row["path"]].append(row)
        old: dict[str, list[dict[str, Any]]] = {}
        paths = list(pages)
        for start in range(0, len(paths), _PAGES_A_QUERY):
            old |= await self._read_stored([page_id(path) for path in paths[start : start + _PAGES_A_QUERY]])
        differing = [path for path in paths if old.get(path, []) != new[path]]
        stale = [page_id(path) for path in differing if path in old]
        for start in range(0, len(stale), _PAGES_A_QUERY):
            await self._writer.delete("links", in_predicate("page_id", stale[start : start + _PAGES_A_QUERY]))
        await self._writer.append("links", _to_table([row for path in differing for row in new[path]]))

    async def _read_stored(self, page_ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
        """Returns the stored rows of pages by path, in the order of the page."""
        where = in_predicate("page_id", page_ids)
        rows = await self._writer.rows("links", columns=schema.LINKS.names, where=where)
        stored: dict[str, list[dict[str, Any]]] = {}
        for row in sorted(rows.to_pylist(), key=lambda row: int(row["position"])):
            stored.setdefault(row["path"], []).append(row)
        return stored

    async def _find_affected(self) -> list[str]:
        """Returns the ids of the pages, other than those read, that hold a link to look at again."""
        links = await self._writer.rows("links", columns=["page_id", "keys", "status", "target_path"])
        if links.num_rows == 0:
            return []
        affected = pc.is_in(links["target_path"], pa.array(sorted(self._read), pa.string()))
        if self._names.assets_changed:
            affected = pc.or_(affected, pc.equal(links["status"], "asset"))
        keys = pa.array(sorted(self._changed_keys()), pa.string())
        column = links["keys"].combine_chunks()
        holders = column.value_parent_indices().filter(pc.is_in(column.values, keys))
        ids = set(links["page_id"].filter(affected).to_pylist()) | set(
            links["page_id"].take(holders).to_pylist()
        )
        return sorted(ids - {page_id(path) for path in self._read})

    def _changed_keys(self) -> set[str]:
        before, after = self._names.before, self._names.after
        changed: set[str] = set()
        for path in before.keys() | after.keys():
            if before.get(path) != after.get(path):
                # A name may stay and change its rank (an alias becomes the title): what is kept counts too.
                changed |= _keys_of(before.get(path)) | _keys_of(after.get(path))
        if self._names.assets_changed:
            for asset in self._names.assets:
                changed |= asset_keys(asset)
        return changed

    async def _resolve(self, pages: Mapping[str, Sequence[Link]]) -> list[dict[str, Any]]:
        for path, links in pages.items():
            for link in links:
                if link.heading is not None or link.block is not None:
                    resolve(link, path, self._index, self._outline_of)
        await self._fetch_outlines()
        return [
            _link_row(path, position, link, resolve(link, path, self._index, self._outline_of))
            for path, links in pages.items()
            for position, link in enumerate(links)
        ]

    def _outline_of(self, path: str) -> PageOutline:
        if path not in self._outlines:
            self._unknown.add(path)
        return self._outlines.get(path, PageOutline())

    async def _fetch_outlines(self) -> None:
        wanted = sorted(page_id(path) for path in self._unknown)
        for start in range(0, len(wanted), _PAGES_A_QUERY):
            where = in_predicate("page_id", wanted[start : start + _PAGES_A_QUERY])
            rows = await self._writer.rows("pages", columns=["path", "outline"], where=where)
            for row in rows.to_pylist():
                self._outlines[row["path"]] = outline_for_links(decode_outline(row["outline"]))
        self._unknown.clear()


def _keys_of(names: PageNames | None) -> frozenset[str]:
    return frozenset() if names is None else page_keys(names)


def _link_row(path: str, position: int, link: Link, found: Resolution) -> dict[str, Any]:
    return {
        "page_id": page_id(path),
        "path": path,
        "position": position,
        "line": link.line,
        "kind": link.kind,
        "target": link.target,
        "page": link.page,
        "heading": link.heading,
        "block": link.block,
        "alias": link.alias,
        "heading_path": list(link.heading_path),
        "status": found.status,
        "target_path": found.page,
        "target_heading_path": list(found.heading_path) or None,
        "target_line": found.target_line,
        "candidates": list(found.candidates),
        "keys": sorted(link_keys(link)),
    }


def _read_link(row: Mapping[str, Any]) -> Link:
    return Link(
        line=row["line"],
        kind=row["kind"],
        target=row["target"],
        page=row["page"],
        heading=row["heading"],
        block=row["block"],
        alias=row["alias"],
        heading_path=tuple(row["heading_path"]),
    )


def _to_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=schema.LINKS)
