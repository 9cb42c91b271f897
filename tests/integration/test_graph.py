"""Expansion through links, over real indexes: where links lead, and what comes by them."""

from itertools import pairwise
from pathlib import Path

import pytest
from workbench import Workbench

from retrieval.graph import NOWHERE, Neighbourhood, explore
from retrieval.pack import Evidence, EvidencePack, Via
from retrieval.request import MAX_HOPS, Expand
from retrieval.store import open_store

pytestmark = pytest.mark.anyio

# A chain of pages of which the first alone holds the word; the last of them links back to it.
CHAIN = {
    "a.md": "# A\n\nzorbword\n\nSee [[b]].\n",
    "b.md": "# B\n\nAfter the first, [[c]].\n",
    "c.md": "# C\n\nThen [[d]] follows.\n",
    "d.md": "# D\n\nThe end of the rope.\n",
    "alone.md": "# Alone\n\nNothing leads here.\n",
}


async def index(folder: Path, files: dict[str, str]) -> Workbench:
    bench = Workbench(folder, files)
    await bench.run()
    return bench


async def explore_around(
    bench: Workbench, *seeds: str, hops: int = 1, where: str | None = None
) -> Neighbourhood:
    store = await open_store(bench.uri)
    try:
        return await explore(await store.snapshot(), dict.fromkeys(seeds, 1.0), hops=hops, where=where)
    finally:
        store.close()


async def search(bench: Workbench, query: str = "zorbword", **request: object) -> EvidencePack:
    """Searches by words, so that nothing is found by the chance of a fake vector."""
    return await bench.search(query, **{"mode": "lexical", "k": 100, **request})


def by_path(pack: EvidencePack) -> dict[str, Evidence]:
    return {passage.citation.path: passage for passage in pack.evidence}


def codes(pack: EvidencePack) -> set[str]:
    return {warning.code for warning in pack.warnings}


@pytest.mark.parametrize(
    ("hops", "paths"), [(0, "a"), (1, "ab"), (2, "abc"), (MAX_HOPS, "abcd")], ids=lambda value: str(value)
)
async def test_each_hop_goes_one_link_further(tmp_path: Path, hops: int, paths: str) -> None:
    pack = await search(await index(tmp_path, CHAIN), expand=Expand(hops=hops))
    assert [passage.citation.path for passage in pack.evidence] == [f"{name}.md" for name in paths]
    assert [passage.origin for passage in pack.evidence] == ["direct", *["expanded"] * hops]
    scores = [passage.score for passage in pack.evidence]
    assert all(later < earlier for earlier, later in pairwise(scores))
    assert ("graph" in pack.retrieval.lanes) == (hops > 0)


async def test_via_names_the_link_at_each_step(tmp_path: Path) -> None:
    found = by_path(await search(await index(tmp_path, CHAIN), expand=Expand(hops=2)))
    assert found["a.md"].via == ()
    assert found["b.md"].via == (Via(source="a.md", line=5, kind="wikilink"),)
    assert found["c.md"].via == (Via(source="b.md", line=3, kind="wikilink"),)


async def test_links_lead_in_both_directions_whatever_their_kind(tmp_path: Path) -> None:
    files = {
        "hit.md": "# Hit\n\nzorbword\n\n![[embedded]]\n\n[text](sub/plain.md) and [[wiki|so called]]\n",
        "embedded.md": "# Embedded\n\nOne.\n",
        "sub/plain.md": "# Plain\n\nTwo.\n",
        "wiki.md": "# Wiki\n\nThree.\n",
        "back.md": "# Back\n\nFour.\n\nIt all began with [[hit]].\n",
    }
    found = by_path(await search(await index(tmp_path, files)))
    assert {path: passage.via for path, passage in found.items()} == {
        "hit.md": (),
        "embedded.md": (Via(source="hit.md", line=5, kind="embed"),),
        "sub/plain.md": (Via(source="hit.md", line=7, kind="markdown"),),
        "wiki.md": (Via(source="hit.md", line=7, kind="wikilink"),),
        "back.md": (Via(source="back.md", line=5, kind="wikilink"),),
    }


async def test_a_link_to_a_heading_that_is_missing_still_leads_to_its_page(tmp_path: Path) -> None:
    files = {
        "hit.md": "# Hit\n\nzorbword [[one#Nowhere]] [[two#^gone]]\n",
        "one.md": "# One\n\nFirst.\n",
        "two.md": "# Two\n\nSecond.\n",
    }
    assert by_path(await search(await index(tmp_path, files))).keys() == {"hit.md", "one.md", "two.md"}


async def test_links_that_name_no_one_page_do_not_lead(tmp_path: Path) -> None:
    files = {
        "hit.md": "# Hit\n\nzorbword [[Ghost]] [[twin]] [[hit]] [[#Hit]] [x](https://x.example) ![[x.png]]\n",
        "one/twin.md": "# Twin\n\nFirst.\n",
        "two/twin.md": "# Twin\n\nSecond.\n",
    }
    bench = await index(tmp_path, files)
    pack = await search(bench)
    assert by_path(pack).keys() == {"hit.md"}
    assert "graph" not in pack.retrieval.lanes
    assert await explore_around(bench, "hit.md") == NOWHERE


async def test_a_wiki_without_links_is_ranked_as_without_the_graph(tmp_path: Path) -> None:
    bench = await index(tmp_path, {f"{name}.md": f"# {name}\n\nzorbword {name}\n" for name in "abc"})
    pack = await bench.search("zorbword b", k=3)
    without = await bench.search("zorbword b", k=3, expand=Expand(hops=0))
    assert pack.pack_id == without.pack_id
    assert pack.retrieval.lanes == ("dense", "lexical")
    assert {passage.scores.graph for passage in pack.evidence} == {None}


async def test_pages_out_of_scope_are_neither_cited_nor_counted_nor_walked_through(tmp_path: Path) -> None:
    outside = [f"out/{number}" for number in range(60)]
    files = {
        "in/hit.md": "# Hit\n\nzorbword\n\n" + "".join(f"[[{name}]]\n" for name in [*outside, "in/linked"]),
        "in/linked.md": "# Linked\n\nneighbour\n",
        "in/behind.md": "# Behind\n\nfar\n",
        **{f"{name}.md": f"# {name}\n\nelsewhere [[in/behind]]\n" for name in outside},
    }
    bench = await index(tmp_path, files)
    pack = await search(bench, path_prefix="in", expand=Expand(hops=2, limit=1))
    assert [passage.citation.path for passage in pack.evidence] == ["in/hit.md", "in/linked.md"]
    assert "graph-truncated" not in codes(pack)
    assert "in/behind.md" in by_path(await search(bench, expand=Expand(hops=2, limit=50)))


@pytest.mark.parametrize("limit", [0, 1, 3, 50])
async def test_no_more_passages_are_added_than_asked(tmp_path: Path, limit: int) -> None:
    files = {
        "hit.md": "# Hit\n\nzorbword " + " ".join(f"[[n{number}]]" for number in range(6)) + "\n",
        **{f"n{number}.md": f"# N{number}\n\nneighbour {number}\n" for number in range(6)},
    }
    pack = await search(await index(tmp_path, files), expand=Expand(limit=limit))
    added = [passage for passage in pack.evidence if passage.origin == "expanded"]
    assert len(added) == min(limit, 6)


async def test_a_neighbour_comes_with_its_best_passage(tmp_path: Path) -> None:
    # Each lane gives a hundred candidates: so many other pages keep the neighbour out of them.
    files = {
        "hit.md": f"# Hit\n\n{'zorbword ' * 9}[[linked]]\n",
        "linked.md": "# Linked\n\n## First\n\nThe wind.\n\n## Second\n\na rope and a sail\n",
        **{f"other{number}.md": f"# {number}\n\nsail\n" for number in range(120)},
    }
    found = by_path(await search(await index(tmp_path, files), "zorbword sail", k=8))
    linked = found["linked.md"]
    assert (linked.origin, linked.citation.heading_path) == ("expanded", ("Linked", "Second"))
    assert (linked.scores.lexical or 0) > 0
    assert 0 < linked.score < found["hit.md"].score


async def test_a_neighbour_comes_with_the_section_that_the_link_names(tmp_path: Path) -> None:
    files = {
        "hit.md": "# Hit\n\nzorbword, see [[linked#Second|there]]\n",
        "linked.md": "# Linked\n\n## First\n\nThe wind.\n\n## Second\n\nA rope.\n",
    }
    linked = by_path(await search(await index(tmp_path, files)))["linked.md"]
    assert linked.origin == "expanded"
    assert linked.citation.heading_path == ("Linked", "Second")


async def test_a_hit_that_links_lift_names_them(tmp_path: Path) -> None:
    files = {
        "song.md": "# Counterparts\n\nA song by the band [[trio]].\n",
        "trio.md": "# Trio\n\nThree people, a drummer among them.\n",
        **{f"drum{number}.md": f"# Drummer {number}\n\nA drummer.\n" for number in range(9)},
    }
    bench = await index(tmp_path, files)
    query = "drummer of the band with the song Counterparts"
    first, second, *_ = (await search(bench, query)).evidence
    assert (first.citation.path, first.via) == ("song.md", ())
    assert (second.citation.path, second.origin) == ("trio.md", "direct")
    assert second.via == (Via(source="song.md", line=3, kind="wikilink"),)
    without = by_path(await search(bench, query, expand=Expand(hops=0)))
    assert without["trio.md"].score < without["drum0.md"].score


async def test_a_hub_does_not_push_out_the_page_that_the_query_names(tmp_path: Path) -> None:
    files = {
        "hub.md": "# Hub\n\n" + "".join(f"- [[spoke{number}]]\n" for number in range(500)),
        **{f"spoke{number}.md": f"# Spoke{number}\n\nback to the [[hub]]\n" for number in range(500)},
    }
    bench = await index(tmp_path, files)
    for hops in (1, 2):
        pack = await bench.search("spoke321", k=8, expand=Expand(hops=hops))
        assert pack.evidence[0].citation.path == "spoke321.md"
        assert pack.evidence[0].origin == "direct"
        assert sum(passage.origin == "expanded" for passage in pack.evidence) <= 8
    both = await bench.search("hub spoke321", k=8)
    assert "spoke321.md" in {passage.citation.path for passage in both.evidence[:2]}
    assert "graph-truncated" in codes(await bench.search("hub", k=8))


@pytest.mark.parametrize(("links", "cut"), [(50, False), (51, True)])
async def test_more_links_than_are_followed_are_told(tmp_path: Path, links: int, cut: bool) -> None:
    files = {
        "hit.md": "# Hit\n\nzorbword\n\n" + "".join(f"[[n{number:02}]]\n\n" for number in range(links)),
        **{f"n{number:02}.md": f"# N{number}\n\nneighbour\n" for number in range(links)},
    }
    bench = await index(tmp_path, files)
    around = await explore_around(bench, "hit.md")
    assert (len(around.ways), around.truncated) == (50, cut)
    assert ("graph-truncated" in codes(await search(bench))) == cut


async def test_mass_is_greatest_at_the_seed_and_falls_with_distance(tmp_path: Path) -> None:
    around = await explore_around(await index(tmp_path, CHAIN), "a.md", hops=3)
    mass = [around.mass[f"{name}.md"] for name in "abcd"]
    assert mass[0] == 1.0
    assert mass == sorted(mass, reverse=True)
    assert around.reached() == ["b.md", "c.md", "d.md"]
    assert {way.near for way in around.ways["d.md"]} == {"c.md"}
    assert "alone.md" not in around.mass


async def test_a_far_page_with_many_ways_to_it_is_still_reached_through_its_neighbours(
    tmp_path: Path,
) -> None:
    """Its mass may be above that of the pages on the way, of which no more than one may be added."""
    names = [f"way{number}" for number in range(9)]
    files = {
        "hit.md": "# Hit\n\nzorbword " + " ".join(f"[[{name}]]" for name in names) + "\n",
        **{f"{name}.md": f"# {name}\n\non to the [[crossing]]\n" for name in names},
        "crossing.md": "# Crossing\n\nall ways meet\n",
    }
    bench = await index(tmp_path, files)
    around = await explore_around(bench, "hit.md", hops=2)
    assert around.reached()[0] == "crossing.md"
    found = by_path(await search(bench, expand=Expand(hops=2, limit=1)))
    assert found.keys() == {"hit.md", "crossing.md"}
    assert found["crossing.md"].score < found["hit.md"].score


async def test_an_unknown_seed_and_no_seed_lead_nowhere(tmp_path: Path) -> None:
    bench = await index(tmp_path, CHAIN)
    assert await explore_around(bench) == NOWHERE
    assert await explore_around(bench, "alone.md", "missing.md") == NOWHERE
    assert await explore_around(bench, "a.md", hops=0) == NOWHERE


async def test_a_hub_among_the_hits_does_not_hide_what_others_link_to(tmp_path: Path) -> None:
    files = {
        "a-index.md": "# Index\n\n" + "[[other]]\n" * 2_500,
        "other.md": "# Other\n",
        "target.md": "# Target\n",
        "z.md": "# Z\n\n[[target]]\n",
    }
    around = await explore_around(await index(tmp_path, files), "a-index.md", "z.md")
    assert {way.near for way in around.ways["target.md"]} == {"z.md"}
    assert around.truncated
