"""Where links lead: one table of link, linking page and expected outcome for each rule."""

import pytest

from chunking.model import BlockAnchor, Link, LinkKind
from chunking.targets import split_target, split_url
from indexer.name_index import NameIndex
from indexer.names import PageNames
from indexer.outline import Heading, PageOutline
from indexer.resolver import Resolution, resolve


def wiki(*pages: str | PageNames, assets: tuple[str, ...] = ()) -> NameIndex:
    names = (page if isinstance(page, PageNames) else PageNames(path=page) for page in pages)
    return NameIndex(names, assets)


def link(target: str, kind: LinkKind = "wikilink") -> Link:
    """Splits a target as the parser does."""
    parts = split_target(target, "obsidian") if kind == "wikilink" else split_url(target)
    return Link(line=1, kind=kind, target=target, page=parts.page, heading=parts.heading, block=parts.block)


def outline(*paths: tuple[str, ...], blocks: tuple[BlockAnchor, ...] = ()) -> PageOutline:
    """Gives each heading a line of its own, and GitHub's anchor to those of one word."""
    headings = (
        Heading(heading_path=path, level=len(path), anchor=path[-1].lower(), line=1 + 2 * number)
        for number, path in enumerate(paths)
    )
    return PageOutline(headings=headings, blocks=blocks)


def refuse_outline(path: str) -> PageOutline:
    raise AssertionError(f"the outline of {path} is not needed")


def find(names: NameIndex, target: str, source: str = "src.md", kind: LinkKind = "wikilink") -> Resolution:
    return resolve(link(target, kind), source, names, refuse_outline)


def find_in(page: PageOutline, target: str, kind: LinkKind = "wikilink") -> Resolution:
    return resolve(link(target, kind), "src.md", wiki("P.md"), lambda path: page)


@pytest.mark.parametrize(
    ("target", "page"),
    [
        ("only", "deep/only.md"),
        ("only.md", "deep/only.md"),
        ("deep/er/index", "deep/er/index.md"),
        ("er/index", "deep/er/index.md"),
        ("../deep/er/index", "deep/er/index.md"),
        ("/deep/er/index.md", "deep/er/index.md"),
        ("./peer", "x/peer.md"),
        ("../top", "top.md"),
        ("deep/./er//index", "deep/er/index.md"),
        ("er/../only", "deep/only.md"),
        ("notes", "NOTES.MD"),
    ],
)
def test_forms_of_paths(target: str, page: str) -> None:
    names = wiki("deep/er/index.md", "other/index.md", "x/peer.md", "top.md", "deep/only.md", "NOTES.MD")
    assert find(names, target, "x/src.md") == Resolution(status="resolved", page=page)


@pytest.mark.parametrize(
    "target", ["../only", "/only", "./top", "../../top", "a/../../../top", "p/only", "nly"]
)
def test_a_path_is_taken_at_its_word(target: str) -> None:
    names = wiki("deep/only.md", "top.md")
    assert find(names, target, "x/src.md") == Resolution(status="unresolved")


def test_own_folder_then_root_then_the_only_one_else_ambiguous() -> None:
    names = wiki("a/Plan.md", "b/Plan.md", "a/Home.md", "Home.md", "b/One.md")
    assert find(names, "Plan", "a/near.md").page == "a/Plan.md"
    assert find(names, "Home", "b/x.md").page == "Home.md"
    assert find(names, "One", "a/x.md").page == "b/One.md"
    assert find(names, "b/Plan").page == "b/Plan.md"
    both = ("a/Plan.md", "b/Plan.md")
    assert find(names, "Plan") == Resolution(status="ambiguous", candidates=both)


def test_a_path_suffix_that_fits_twice_is_ambiguous() -> None:
    names = wiki("b/x/Plan.md", "a/x/Plan.md")
    assert find(names, "x/Plan").candidates == ("a/x/Plan.md", "b/x/Plan.md")


def test_markdown_paths_start_beside_the_page_and_wikilinks_at_the_root() -> None:
    names = wiki("img/a.md", "x/img/a.md")
    assert find(names, "img/a.md", "x/src.md", "markdown").page == "x/img/a.md"
    assert find(names, "img/a.md", "x/src.md", "embed").page == "x/img/a.md"
    assert find(names, "img/a", "x/src.md", "wikilink").page == "img/a.md"
    assert find(names, "img/a.md", "y/src.md", "markdown").page == "img/a.md"


def test_a_name_beats_a_title_and_a_title_beats_an_alias() -> None:
    names = wiki(
        PageNames(path="alpha-note.md", title="The Alpha Story", aliases=("Shared", "p2")),
        PageNames(path="p2.md", title="p3"),
        PageNames(path="p4.md", title="Four", aliases=("shared", "The Alpha Story")),
    )
    assert find(names, "alpha-note").page == "alpha-note.md"
    assert find(names, "the alpha story").page == "alpha-note.md"
    assert find(names, "p2").page == "p2.md"
    assert find(names, "p3").page == "p2.md"
    assert find(names, "SHARED").candidates == ("alpha-note.md", "p4.md")
    assert find(names, "Shared").candidates == ("alpha-note.md", "p4.md")


def test_a_title_may_hold_a_slash() -> None:
    assert find(wiki(PageNames(path="s.md", title="24/7 support")), "24/7 Support").page == "s.md"


def test_case_and_composition_are_ignored_unless_they_decide() -> None:
    decomposed = "U\u0308bersicht.md"
    names = wiki(decomposed, "a/Note.md", "b/note.md", "Straße.md")
    assert find(names, "\u00dcbersicht").page == decomposed
    assert find(names, "%C3%9Cbersicht.md", kind="markdown").page == decomposed
    assert find(names, "note").page == "b/note.md"
    assert find(names, "NOTE").candidates == ("a/Note.md", "b/note.md")
    assert find(names, "STRASSE").page == "Straße.md"


def test_of_two_compositions_the_written_one_wins_and_case_decides_next() -> None:
    names = wiki("a/\u00dc.md", "b/U\u0308.md", "c/\u00fc.md")
    assert find(names, "U\u0308").page == "b/U\u0308.md"
    assert find(names, "\u00dc").page == "a/\u00dc.md"
    assert find(names, "u\u0308").page == "c/\u00fc.md"


@pytest.mark.parametrize(
    ("target", "page"),
    [
        ("guides", "guides/index.md"),
        ("guides/", "guides/index.md"),
        ("ops/run", "ops/run/README.md"),
        ("run/", "ops/run/README.md"),
        ("./", "x/readme.md"),
        ("..", "index.md"),
        ("../", "index.md"),
        ("/", "index.md"),
        ("../guides/.", "guides/index.md"),
        ("ops", "ops.md"),
        ("hugo/", "hugo/_index.md"),
        ("missing/", None),
    ],
)
def test_folders_lead_to_the_page_that_stands_for_them(target: str, page: str | None) -> None:
    names = wiki(
        "guides/index.md",
        "guides/README.md",
        "ops/run/README.md",
        "ops.md",
        "x/readme.md",
        "index.md",
        "hugo/_index.md",
    )
    assert find(names, target, "x/src.md", "markdown").page == page


def test_targets_with_hash_signs_question_marks_and_percent_signs() -> None:
    names = wiki("Sprint #4.md", "#tag.md", "Why?.md", "100%25.md", "a.md", "C# basics.md")
    assert find(names, "Sprint #4").page == "Sprint #4.md"
    assert find(names, "Sprint%20%234.md", kind="markdown").page == "Sprint #4.md"
    assert find(names, "Sprint #4.md", kind="markdown").page == "Sprint #4.md"
    assert find(names, "Why?", kind="wikilink").page == "Why?.md"
    assert find(names, "Why?.md", kind="markdown").page == "Why?.md"
    assert find(names, "a.md?plain=1", kind="markdown").page == "a.md"
    assert find(names, "a.md?plain=1", kind="wikilink").status == "unresolved"
    assert find(names, "100%2525.md", kind="markdown").page == "100%25.md"
    assert find(names, "100%25.md", kind="markdown").page == "100%25.md"
    assert find(names, "C# basics").page == "C# basics.md"


@pytest.mark.parametrize(
    ("target", "kind", "page"),
    [
        ("Getting Started", "wikilink", "Getting-Started.md"),
        ("my%20notes", "wikilink", "My Notes.md"),
        ("ops\\run", "wikilink", "ops/run.md"),
        ("ops/run.html", "markdown", "ops/run.md"),
        ("ops/run/", "markdown", "ops/run.md"),
        ("ops\\run.htm?x=1", "markdown", "ops/run.md"),
        ("Blank", "wikilink", "Blank .md"),
        ("Blank%20.md", "markdown", "Blank .md"),
    ],
)
def test_spellings_of_other_programs(target: str, kind: LinkKind, page: str) -> None:
    names = wiki("Getting-Started.md", "My Notes.md", "ops/run.md", "Blank .md")
    assert find(names, target, kind=kind) == Resolution(status="resolved", page=page)


@pytest.mark.parametrize("name", ["a b", "a-b", "a%20b", "a\\b", "a.html"])
def test_a_name_as_it_is_written_beats_another_spelling(name: str) -> None:
    names = wiki("a b.md", "a-b.md", "a%20b.md", "a\\b.md", "a/b.md", "a.html.md", "a.md")
    assert find(names, name).page == f"{name}.md"


def test_a_heading_may_stand_behind_a_name_that_holds_a_hash_sign() -> None:
    outlines = {"Sprint.md": outline(("Plan",)), "Sprint #4.md": outline(("Goals",), ("Goals", "Next"))}
    for target in ("Sprint #4#Next", "Sprint #4#Goals#Next"):
        found = resolve(link(target), "src.md", wiki(*outlines), outlines.__getitem__)
        assert (found.page, found.heading_path) == ("Sprint #4.md", ("Goals", "Next"))
    many = link("Sprint" + "#" * 1_000)
    assert resolve(many, "src.md", wiki(*outlines), outlines.__getitem__).status == "heading_unresolved"


def test_a_whole_name_beats_a_heading_that_is_not_there() -> None:
    names = wiki("Sprint.md", "Sprint #4.md")
    both = resolve(link("Sprint #4"), "src.md", names, lambda path: outline(("Goals",)))
    assert both == Resolution(status="resolved", page="Sprint #4.md")
    gone = resolve(link("Sprint #5"), "src.md", names, lambda path: outline(("Goals",)))
    assert gone == Resolution(status="heading_unresolved", page="Sprint.md")


def test_logseq_namespaces_and_dendron_names() -> None:
    names = wiki("pages/a___b.md", "pages/x%2Fy.md", "pages/What%3F.md", "dev.proj.notes.md", "n/real.md")
    assert find(names, "a/b").page == "pages/a___b.md"
    assert find(names, "pages/a/b").page == "pages/a___b.md"
    assert find(names, "x/y").page == "pages/x%2Fy.md"
    assert find(names, "what?").page == "pages/What%3F.md"
    assert find(names, "a___b").page == "pages/a___b.md"
    assert find(names, "dev.proj.notes").page == "dev.proj.notes.md"
    assert find(names, "b").status == "unresolved"


def test_a_folder_beats_a_decoded_name() -> None:
    assert find(wiki("pages/a___b.md", "a/b.md"), "a/b").page == "a/b.md"


def test_assets_come_last_and_are_found_like_pages() -> None:
    names = wiki("part.md", assets=("img/pic.png", "a/x.pdf", "b/x.pdf", "part.canvas"))
    assert find(names, "pic.png", kind="embed") == Resolution(status="asset", page="img/pic.png")
    assert find(names, "img/pic.png", kind="embed").status == "asset"
    assert find(names, "x.pdf", "a/n.md", "embed").page == "a/x.pdf"
    assert find(names, "x.pdf", kind="embed").candidates == ("a/x.pdf", "b/x.pdf")
    assert find(names, "x.pdf#page=3", "b/n.md").page == "b/x.pdf"
    assert find(names, "pic.png?raw=true", kind="embed").page == "img/pic.png"
    assert find(names, "part").page == "part.md"
    assert find(names, "missing.png", kind="embed") == Resolution(status="unresolved")


@pytest.mark.parametrize(
    ("target", "kind", "external"),
    [
        ("https://example.org/a", "markdown", True),
        ("mailto:a@example.org", "markdown", True),
        ("obsidian://open?vault=x", "markdown", True),
        ("tel:123", "markdown", True),
        ("//example.org/a", "markdown", True),
        ("https://example.org", "wikilink", True),
        ("mailto:a@example.org", "wikilink", True),
        ("Note: a thing", "wikilink", False),
        ("Note: a thing", "embed", False),
        ("data:image/png;base64,AAAA", "embed", True),
        ("www.example.org", "autolink", True),
        ("C:/notes", "markdown", False),
    ],
)
def test_external_links(target: str, kind: LinkKind, external: bool) -> None:
    assert (find(wiki(), target, kind=kind).status == "external") is external


def test_the_empty_page_part_is_the_page_itself() -> None:
    page = outline(("Self",), ("Self", "Net"))
    for own in (link("#Net"), link("#net", "markdown")):
        found = resolve(own, "self.md", wiki("self.md"), lambda path: page)
        assert (found.page, found.heading_path, found.target_line) == ("self.md", ("Self", "Net"), 3)
    assert find(wiki("#tag.md"), "").page == "src.md"
    tag = resolve(link("#tag"), "self.md", wiki("#tag.md"), lambda path: page)
    assert tag == Resolution(status="resolved", page="#tag.md")


HEADINGS = outline(
    ("P",),
    ("P", "test (456)"),
    ("P", "Phase 2: go | live"),
    ("P", "C# and F#"),
    ("P", "Setup"),
    ("P", "Setup", "Linux"),
    ("P", "Windows"),
    ("P", "Windows", "Linux"),
    ("P", "备份 步骤"),
    ("P", "Cafe\u0301"),
)


@pytest.mark.parametrize(
    ("target", "kind", "line"),
    [
        ("P#test (456)", "wikilink", 3),
        ("P#Phase 2 go live", "wikilink", 5),
        ("P#C and F", "wikilink", 7),
        ("P#C# and F#", "wikilink", 7),
        ("P#Linux", "wikilink", 11),
        ("P#Setup#Linux", "wikilink", 11),
        ("P#windows#linux", "wikilink", 15),
        ("P#P#Linux", "wikilink", 11),
        ("P.md#test-456", "markdown", 3),
        ("P.md#phase-2-go--live", "markdown", 5),
        ("P#test-456", "wikilink", 3),
        ("P.md#%E5%A4%87%E4%BB%BD-%E6%AD%A5%E9%AA%A4", "markdown", 17),
        ("P#Caf\u00e9", "wikilink", 19),
    ],
)
def test_headings_are_found_by_text_slug_and_path(target: str, kind: LinkKind, line: int) -> None:
    found = find_in(HEADINGS, target, kind)
    assert (found.status, found.page, found.target_line) == ("resolved", "P.md", line)


@pytest.mark.parametrize("target", ["P#nope", "P#Linux#Setup", "P#Setup#Windows", "P#:", "P##"])
def test_a_heading_that_is_not_there_leaves_the_page(target: str) -> None:
    assert find_in(HEADINGS, target) == Resolution(status="heading_unresolved", page="P.md")


def test_a_markdown_anchor_made_by_other_rules_is_found_by_its_letters() -> None:
    page = outline(("Other People’s Money",))
    assert find_in(page, "P.md#other-people-s-money", "markdown").target_line == 1
    assert find_in(page, "P#other-people-s-money").status == "heading_unresolved"


def test_an_anchor_tells_equal_headings_apart() -> None:
    twins = PageOutline(
        headings=(
            Heading(heading_path=("Notes",), level=1, anchor="notes", line=1),
            Heading(heading_path=("Notes",), level=1, anchor="notes-1", line=5),
        )
    )
    assert find_in(twins, "P.md#notes-1", "markdown").target_line == 5
    assert find_in(twins, "P#Notes").target_line == 1
    assert find_in(twins, "P#notes-1").target_line == 5


def test_of_headings_that_are_cleaned_up_alike_the_written_one_wins() -> None:
    page = outline(("C#",), ("C",), ("setup",), ("Setup",), ("A\\B %% C",))
    lines = {"C#": 1, "C": 3, "c": 3, "setup": 5, "Setup": 7, "SETUP": 5, "A B C": 9}
    assert {name: find_in(page, f"P#{name}").target_line for name in lines} == lines


def test_an_anchor_may_be_written_behind_its_heading() -> None:
    page = outline(("Side navigation {#side-nav}",), ("Side navigation {#side-nav}", "Foo {: #bar .wide}"))
    for target, line in {"#side-nav": 1, "#side-navigation": 1, "#bar": 3, "#foo": 3}.items():
        assert find_in(page, f"P.md{target}", "markdown").target_line == line
        assert find_in(page, f"P{target}").target_line == line
    assert find_in(page, "P#side navigation#Foo").target_line == 3


def test_blocks_are_found_without_regard_to_case() -> None:
    page = outline(
        ("S",), blocks=(BlockAnchor(block_id="ex-322", line=3), BlockAnchor(block_id="Tb", line=7))
    )
    found = find_in(page, "P#^EX-322")
    assert (found.page, found.block, found.target_line) == ("P.md", "ex-322", 3)
    assert find_in(page, "P#^tb").target_line == 7
    assert find_in(page, "P#S#^tb").target_line == 7
    assert find_in(page, "P#^nope") == Resolution(status="block_unresolved", page="P.md")
