"""Graph expansion: what the best hits link to, and what links to them.

Around the pages of the best hits a neighbourhood of links is read, and personalised PageRank (Haveliwala,
Topic-Sensitive PageRank, 2002) flows from those hits through it. Its mass is one more signal for every
candidate, and it says which linked pages to look into that no lane has found.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
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
_LINKS_SHOWN = 5
_LEADING = ("resolved", "heading_unresolved", "block_unresolved")
_COLUMNS = ("path", "line", "kind", "target_path")


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """Mass by path of page, 1.0 for the largest, and how each page that is no seed was reached.

    `via` are the links, `origins` the pages at their other ends, both with the nearest pages first;
    `truncated` says that links were left out.
    """

    mass: Mapping[str, float]
    via: Mapping[str, tuple[Via, ...]]
    origins: Mapping[str, frozenset[str]]
    truncated: bool

    def reached(self) -> list[str]:
        """Returns the pages that links led to, the largest mass first."""
        return sorted(self.via, key=lambda path: (-self.mass.get(path, 0.0), path))


NOWHERE = Neighbourhood(mass={}, via={}, origins={}, truncated=False)


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
    via, origins = defaultdict[str, list[Via]](list), defaultdict[str, set[str]](set)
    frontier = list(seeds)
    for _ in range(hops):
        links, cut = await _read_links(snapshot, frontier, where)
        truncated |= cut
        known = set(graph) | set(frontier)
        for source, line, kind, target in links:
            graph.add_edge(source, target)
            for page in {source, target} - known:
                via[page].append(Via(source=source, line=line, kind=kind))
                origins[page].add(target if page == source else source)
        frontier = sorted(set(graph) - known)
    personal = {page: max(score, 1e-6) ** _SEED_POWER for page, score in seeds.items() if page in graph}
    if not personal:
        return NOWHERE
    ranks = nx.pagerank(graph, alpha=_DAMPING, personalization=personal)
    largest = max(ranks.values())
    mass = {page: rank / largest for page, rank in ranks.items()}
    return Neighbourhood(
        mass=mass,
        via={page: tuple(links[:_LINKS_SHOWN]) for page, links in via.items()},
        origins={page: frozenset(pages) for page, pages in origins.items()},
        truncated=truncated,
    )


async def _read_links(
    snapshot: Snapshot, pages: Sequence[str], scope: str | None
) -> tuple[list[tuple[str, int, str, str]], bool]:
    """Returns the links from and to pages, at most a fixed number a page, and whether any were left out."""
    if not pages:
        return [], False
    rows, full = await _read_rows(snapshot, pages)
    inside = set(pages)
    links = sorted(
        ((row["path"], row["line"], row["kind"], row["target_path"]) for row in rows),
        key=lambda link: (link[0] not in inside, link),  # what a page says itself comes first
    )
    ends = {page for source, _, _, target in links for page in (source, target)}
    allowed = inside | await _keep_in_scope(snapshot, ends - inside, scope)
    counts, kept, cut = defaultdict[str, int](int), [], full
    for source, line, kind, target in links:
        if source == target or not {source, target} <= allowed:
            continue
        near_ends = {source, target} & inside
        if any(counts[page] >= _LINKS_A_PAGE for page in near_ends):
            # That much links to a hub is no news; what a page itself links to is missing.
            cut |= source in inside
            continue
        for page in near_ends:
            counts[page] += 1
        kept.append((source, line, kind, target))
    return kept, cut


async def _read_rows(snapshot: Snapshot, pages: Sequence[str]) -> tuple[list[dict[str, Any]], bool]:
    """Returns links from and to pages, and whether there are too many to read.

    Of too many around the seeds each gives its share: a hub must not hide what others link to.
    """

    async def read(some: Sequence[str], limit: int) -> list[dict[str, Any]]:
        near = f"({in_predicate('path', some)} OR {in_predicate('target_path', some)})"
        where = f"{near} AND {in_predicate('status', _LEADING)}"
        rows = await snapshot.rows("links", columns=_COLUMNS, where=where, limit=limit)
        found: list[dict[str, Any]] = rows.to_pylist()
        return found

    rows = await read(pages, _LINKS_A_HOP)
    if len(rows) < _LINKS_A_HOP:
        return rows, False
    if len(pages) <= SEED_PAGES:
        shares = await asyncio.gather(*(read([page], _LINKS_A_HOP // len(pages)) for page in pages))
        distinct = {tuple(row[column] for column in _COLUMNS): row for share in shares for row in share}
        rows = list(distinct.values())
    return rows, True


async def _keep_in_scope(snapshot: Snapshot, paths: Collection[str], scope: str | None) -> set[str]:
    if scope is None or not paths:
        return set(paths)
    where = f"{in_predicate('path', paths)} AND {scope}"
    rows = await snapshot.rows("pages", columns=["path"], where=where)
    return set(rows["path"].to_pylist())
