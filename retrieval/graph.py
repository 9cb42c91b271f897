"""The neighbourhood of the best hits: what they link to, and what links to them.

Around the pages of the best hits links are read, and personalised PageRank (Haveliwala, Topic-Sensitive
PageRank, 2002) flows from those hits through them. A page shares what it has among all its neighbours, so
hubs pass on little. The mass says which of the linked pages to look into that no lane has found; what a link
is worth is in `propagation.py`.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx

from retrieval.pack import Via
from retrieval.predicates import in_predicate
from retrieval.store import Snapshot

SEED_PAGES = 10

# Half of the mass goes back to the hits at each step, so it stays near; a high power favours the best hits.
_DAMPING = 0.5
_SEED_POWER = 4

# A hub's links say little, and all of them would be read.
_LINKS_A_PAGE = 50
_LINKS_A_HOP = 2_000
_LEADING = ("resolved", "heading_unresolved", "block_unresolved")
_COLUMNS = ("path", "line", "kind", "target_path", "target_heading_path")

_Link = tuple[str, int, str, str, tuple[str, ...]]
"""A row of `links`, by `_COLUMNS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A link between a page and one that is nearer to the hits; either may be the one that links.

    `section` is the heading path that the link names in the farther page, () where it names none.
    """

    near: str
    via: Via
    section: tuple[str, ...] = ()

    @property
    def onward(self) -> bool:
        """Whether it is the nearer page that links."""
        return self.via.source == self.near

    def leads_to(self, heading_path: Sequence[str]) -> bool:
        """Says whether a passage below these headings is within what the link names."""
        return tuple(heading_path[: len(self.section)]) == self.section


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """What lies around the seeds.

    `mass` is the share of the largest PageRank by path of page. `ways` are the links by which a page is
    reached from pages one hop nearer, and a seed from other seeds. `degrees` counts the pages that links join
    to each seed. `truncated` says that links were left out.
    """

    mass: Mapping[str, float]
    ways: Mapping[str, tuple[Way, ...]]
    degrees: Mapping[str, int]
    truncated: bool

    def reached(self) -> list[str]:
        """Returns the pages that are no seeds, the largest mass first."""
        found = self.ways.keys() - self.degrees.keys()
        return sorted(found, key=lambda path: (-self.mass[path], path))


NOWHERE = Neighbourhood(mass={}, ways={}, degrees={}, truncated=False)


def load_libraries() -> None:
    """Imports what ranks are computed with, which takes a third of a second at the first ranking."""
    nx.pagerank(nx.path_graph(2))


async def explore(
    snapshot: Snapshot, seeds: Mapping[str, float], *, hops: int, where: str | None
) -> Neighbourhood:
    """Returns what lies around the seeds, given as score by path of page, best first.

    No link is followed out of the scope `where`, so what lies behind it is not reached either.
    """
    if hops == 0 or not seeds or snapshot.generation.counts.links == 0:
        return NOWHERE
    graph: nx.Graph[str] = nx.Graph()
    truncated = False
    ways = defaultdict[str, list[Way]](list)
    known, frontier = set[str](), list(seeds)
    for _ in range(hops):
        links, cut = await _read_links(snapshot, frontier, where)
        truncated |= cut
        for link in links:
            graph.add_edge(link[0], link[3])
            for far, way in _follow(link, frontier):
                if far not in known:
                    ways[far].append(way)
        pages = {*known, *frontier, *graph}
        known, frontier = pages, sorted(pages - known - {*frontier})
    if not graph:
        return NOWHERE
    return Neighbourhood(
        mass=_rank(graph, seeds),
        ways={page: tuple(found) for page, found in ways.items()},
        degrees={page: graph.degree(page) for page in seeds if page in graph},
        truncated=truncated,
    )


def _follow(link: _Link, frontier: Collection[str]) -> Iterator[tuple[str, Way]]:
    """Yields each end of a link that is one hop from the frontier, with the way to it."""
    source, line, kind, target, section = link
    via = Via(source=source, line=line, kind=kind)
    if source in frontier:
        yield target, Way(near=source, via=via, section=section)
    if target in frontier:
        yield source, Way(near=target, via=via)


def _rank(graph: "nx.Graph[str]", seeds: Mapping[str, float]) -> dict[str, float]:
    personal = {page: max(score, 1e-6) ** _SEED_POWER for page, score in seeds.items() if page in graph}
    ranks = nx.pagerank(graph, alpha=_DAMPING, personalization=personal)
    largest = max(ranks.values())
    return {page: rank / largest for page, rank in ranks.items()}


async def _read_links(
    snapshot: Snapshot, pages: Sequence[str], scope: str | None
) -> tuple[list[_Link], bool]:
    """Returns the links from and to pages, at most a fixed number a page, and whether any were left out."""
    if not pages:
        return [], False
    found, full = await _read_rows(snapshot, pages)
    inside = set(pages)
    # What a page says itself comes first.
    links = sorted(found, key=lambda link: (link[0] not in inside, link))
    ends = {page for source, _, _, target, _ in links for page in (source, target)}
    allowed = inside | await _keep_in_scope(snapshot, ends - inside, scope)
    counts, kept, cut = defaultdict[str, int](int), [], full
    for link in links:
        source, target = link[0], link[3]
        if source == target or not {source, target} <= allowed:
            continue
        near_ends = {source, target} & inside
        if any(counts[page] >= _LINKS_A_PAGE for page in near_ends):
            # That much links to a hub is no news; what a page itself links to is missing.
            cut |= source in inside
            continue
        for page in near_ends:
            counts[page] += 1
        kept.append(link)
    return kept, cut


async def _read_rows(snapshot: Snapshot, pages: Sequence[str]) -> tuple[Collection[_Link], bool]:
    """Returns links from and to pages, and whether there are too many to read.

    Of too many around the seeds each gives its share: a hub must not hide what others link to.
    """

    async def read(some: Sequence[str], limit: int) -> list[_Link]:
        near = f"({in_predicate('path', some)} OR {in_predicate('target_path', some)})"
        where = f"{near} AND {in_predicate('status', _LEADING)}"
        rows = await snapshot.rows("links", columns=_COLUMNS, where=where, limit=limit)
        return [_read_link(row) for row in rows.to_pylist()]

    links = await read(pages, _LINKS_A_HOP)
    if len(links) < _LINKS_A_HOP:
        return links, False
    if len(pages) <= SEED_PAGES:
        shares = await asyncio.gather(*(read([page], _LINKS_A_HOP // len(pages)) for page in pages))
        return {link for share in shares for link in share}, True
    return links, True


def _read_link(row: Mapping[str, Any]) -> _Link:
    section = tuple(row["target_heading_path"] or ())
    return row["path"], row["line"], row["kind"], row["target_path"], section


async def _keep_in_scope(snapshot: Snapshot, paths: Collection[str], scope: str | None) -> set[str]:
    if scope is None or not paths:
        return set(paths)
    where = f"{in_predicate('path', paths)} AND {scope}"
    rows = await snapshot.rows("pages", columns=["path"], where=where)
    return set(rows["path"].to_pylist())
