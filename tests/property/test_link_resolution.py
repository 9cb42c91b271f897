"""Laws of link resolution, over small wikis made to collide: same names in other folders, cases and forms."""

from hypothesis import given
from hypothesis import strategies as st

from chunking.model import Link, LinkKind
from chunking.targets import split_target, split_url
from indexer.name_index import NameIndex
from indexer.names import PageNames, asset_keys, page_keys
from indexer.outline import PageOutline
from indexer.resolver import Resolution, resolve
from indexer.targets import link_keys

WORDS = (
    "a",
    "A",
    "b",
    "index",
    "README",
    "a___b",
    "a%2Fb",
    "a.md",
    "s #1",
    "q?",
    "\u00fc",
    "u\u0308",
    "\u00dc",
)
EXTENSIONS = (".md", ".MD", ".markdown")
KINDS: tuple[LinkKind, ...] = ("wikilink", "embed", "markdown", "reference")

words = st.sampled_from(WORDS)
names = st.lists(words, min_size=1, max_size=3).map("/".join)
page_paths = st.builds(str.__add__, names, st.sampled_from(EXTENSIONS))
asset_paths = st.builds(str.__add__, names, st.sampled_from(("", ".png")))
pages = st.builds(PageNames, path=page_paths, title=names | st.just(""), aliases=st.lists(names).map(tuple))
wikis = st.lists(pages, unique_by=lambda page: page.path, max_size=8)
targets = st.builds(
    lambda *parts: "".join(parts),
    st.sampled_from(("", "", "/", "./", "../", "../../", "a/../")),
    names | st.just(""),
    st.sampled_from(("", "", ".md", ".png", "/", "/.", "/..")),
    st.sampled_from(("", "#1", "#^1", "?x=1", "?x#1")),
)


def link(target: str, kind: LinkKind) -> Link:
    parts = split_target(target, "obsidian") if kind == "wikilink" else split_url(target)
    return Link(line=1, kind=kind, target=target, page=parts.page, heading=parts.heading, block=parts.block)


links = st.builds(link, targets, st.sampled_from(KINDS))


def find(link: Link, source: str, wiki: list[PageNames], assets: list[str]) -> Resolution:
    return resolve(link, source, NameIndex(wiki, assets), lambda path: PageOutline())


@given(links, page_paths, wikis, st.lists(asset_paths, unique=True, max_size=5))
def test_only_names_that_share_a_key_decide(
    link: Link, source: str, wiki: list[PageNames], assets: list[str]
) -> None:
    keys = set(link_keys(link))
    sharing = [page for page in wiki if keys & page_keys(page)]
    sharing_assets = [path for path in assets if keys & asset_keys(path)]
    assert find(link, source, wiki, assets) == find(link, source, sharing, sharing_assets)


@given(links, page_paths, wikis, st.lists(asset_paths, unique=True, max_size=5))
def test_the_order_of_the_walk_does_not_matter(
    link: Link, source: str, wiki: list[PageNames], assets: list[str]
) -> None:
    assert find(link, source, wiki, assets) == find(link, source, wiki[::-1], assets[::-1])


@given(links, page_paths, wikis, st.lists(asset_paths, unique=True, max_size=5))
def test_a_link_leads_only_to_what_is_there(
    link: Link, source: str, wiki: list[PageNames], assets: list[str]
) -> None:
    found = find(link, source, wiki, assets)
    known = {page.path for page in wiki} | {source, *assets}
    assert known.issuperset(found.candidates)
    assert found.candidates == tuple(sorted(set(found.candidates)))
    assert (found.status == "ambiguous") is (len(found.candidates) > 1)
    leads_nowhere = found.status in ("unresolved", "ambiguous", "external")
    assert (found.page is None) if leads_nowhere else (found.page in known)


@given(wikis, page_paths)
def test_the_path_of_a_page_from_the_root_always_leads_to_it(wiki: list[PageNames], source: str) -> None:
    for page in wiki:
        target = Link(line=1, kind="wikilink", target=f"/{page.path}", page=f"/{page.path}")
        assert find(target, source, wiki, []) == Resolution(status="resolved", page=page.path)
