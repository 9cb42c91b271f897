"""Where a link leads, as a pure function of the link, its page, the wiki's names and the target's outline."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from chunking.model import Link
from indexer.name_index import Finding, NameIndex
from indexer.outline import PageOutline
from indexer.targets import Reading, leads_outside, locate_target, names_folder, read_target

LinkStatus = Literal[
    "resolved",
    "unresolved",
    "ambiguous",
    "external",
    "asset",
    "heading_unresolved",
    "block_unresolved",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """Where a link leads.

    `page` is the path of the page or asset, None if there is not exactly one; `candidates` are the sorted
    paths of an ambiguous link. `heading_path`, `block` and `target_line` (1-based) name the heading or block
    that was found in the page.
    """

    status: LinkStatus
    page: str | None = None
    heading_path: tuple[str, ...] = ()
    block: str | None = None
    target_line: int | None = None
    candidates: tuple[str, ...] = ()


def resolve(
    link: Link, source: str, names: NameIndex, outline_of: Callable[[str], PageOutline]
) -> Resolution:
    """Finds what a link on page `source` leads to.

    The first reading of the target that resolves wins; if none does, the first that finds anything stands.
    `outline_of` is asked only for pages in which a heading or block is looked for.
    """
    if leads_outside(link):
        return Resolution(status="external")
    best = Resolution(status="unresolved")
    for reading in read_target(link):
        found = _find_page(reading.page, link, source, names)
        resolution = _resolve_reading(reading, link, found, outline_of)
        if resolution.status in ("resolved", "asset"):
            return resolution
        if best.status == "unresolved":
            best = resolution
    return best


def _find_page(target: str, link: Link, source: str, names: NameIndex) -> Finding:
    if not target:
        return Finding((source,))
    place = locate_target(target, source, own_first=link.kind != "wikilink")
    if place is None:
        return Finding()
    return names.find_folder(place) if names_folder(target) else names.find(target, place)


def _resolve_reading(
    reading: Reading, link: Link, found: Finding, outline_of: Callable[[str], PageOutline]
) -> Resolution:
    if not found.paths:
        return Resolution(status="unresolved")
    if len(found.paths) > 1:
        return Resolution(status="ambiguous", candidates=found.paths)
    (page,) = found.paths
    if found.is_asset:
        return Resolution(status="asset", page=page)
    if reading.block is not None:
        return _resolve_block(page, reading.block, outline_of(page))
    if reading.heading is not None:
        return _resolve_heading(page, reading.heading, link, outline_of(page))
    return Resolution(status="resolved", page=page)


def _resolve_block(page: str, block_id: str, outline: PageOutline) -> Resolution:
    block = outline.find_block(block_id)
    if block is None:
        return Resolution(status="block_unresolved", page=page)
    return Resolution(status="resolved", page=page, block=block.block_id, target_line=block.line)


def _resolve_heading(page: str, target: str, link: Link, outline: PageOutline) -> Resolution:
    heading = outline.find_heading(target, anchor_first=link.kind in ("markdown", "reference"))
    if heading is None:
        return Resolution(status="heading_unresolved", page=page)
    return Resolution(
        status="resolved", page=page, heading_path=heading.heading_path, target_line=heading.line
    )
