"""Links, tags and names of blocks."""

import pytest
from fakes import FakeCounter

from chunking import BlockAnchor, ChunkingOptions, Dialect, Link, Page, is_external, parse_page


def parse(text: str, dialect: Dialect = "obsidian") -> Page:
    return parse_page("page.md", text, options=ChunkingOptions(dialect=dialect), counter=FakeCounter())


def targets_of(text: str) -> list[tuple[int, str]]:
    return [(link.line, link.target) for link in parse(text).links]


def only_link(text: str, dialect: Dialect = "obsidian") -> Link:
    (link,) = parse(text, dialect).links
    return link


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[[Meeting]]", Link(line=1, kind="wikilink", target="Meeting", page="Meeting")),
        (
            "[[ Meeting#Decisions | see ]]",
            Link(
                line=1,
                kind="wikilink",
                target="Meeting#Decisions",
                page="Meeting",
                heading="Decisions",
                alias="see",
            ),
        ),
        ("[[#Net]]", Link(line=1, kind="wikilink", target="#Net", page="", heading="Net")),
        ("[[Src#^ex-3]]", Link(line=1, kind="wikilink", target="Src#^ex-3", page="Src", block="ex-3")),
        ("![[pic.png|400]]", Link(line=1, kind="embed", target="pic.png", page="pic.png", alias="400")),
        ("![alt](img/a.png)", Link(line=1, kind="embed", target="img/a.png", page="img/a.png", alias="alt")),
        ("[[Page\\|c]]", Link(line=1, kind="wikilink", target="Page", page="Page", alias="c")),
        (
            "[`x` *y*](a%20b%231.md#Part%201)",
            Link(
                line=1,
                kind="markdown",
                target="a%20b%231.md#Part%201",
                page="a b#1.md",
                heading="Part 1",
                alias="x y",
            ),
        ),
        (
            "[x](https://e.org/a%20b#c)",
            Link(
                line=1,
                kind="markdown",
                target="https://e.org/a%20b#c",
                page="https://e.org/a%20b#c",
                alias="x",
            ),
        ),
        ("<https://e.org>", Link(line=1, kind="autolink", target="https://e.org", page="https://e.org")),
        ("[a][b]\n\n[b]: c.md", Link(line=1, kind="reference", target="c.md", page="c.md", alias="a")),
        ("[b]\n\n[b]: c.md", Link(line=1, kind="reference", target="c.md", page="c.md", alias="b")),
        ("[a *b*]([[c]])", Link(line=1, kind="wikilink", target="c", page="c", alias="a b")),
        ("{{embed [[c]]}}", Link(line=1, kind="embed", target="c", page="c")),
        ("[[a#b#^c]]", Link(line=1, kind="wikilink", target="a#b#^c", page="a", block="c")),
    ],
)
def test_each_kind_of_link(text: str, link: Link) -> None:
    assert only_link(text) == link


def test_dendron_puts_the_alias_first() -> None:
    link = only_link("[[the plan|proj.plan#goals]]", "dendron")
    assert (link.page, link.heading, link.alias) == ("proj.plan", "goals", "the plan")


def test_dendron_names_the_vault_of_a_page() -> None:
    link = only_link("[[the plan|dendron://main/proj.plan#goals]]", "dendron")
    assert (link.target, link.page, link.heading) == ("dendron://main/proj.plan#goals", "proj.plan", "goals")
    assert only_link("[[dendron://main/proj.plan]]", "obsidian").page == "dendron://main/proj.plan"


def test_a_dendron_range_names_its_first_heading_or_block() -> None:
    for target in ("plan#goals,1:#costs", "plan#goals:#*", "plan#goals,2"):
        assert only_link(f"![[{target}]]", "dendron").heading == "goals"
    assert only_link("![[plan#^begin:#^end]]", "dendron").block == "begin"
    assert only_link("[[plan#goals,1:#costs]]", "obsidian").heading == "goals,1:#costs"


@pytest.mark.parametrize(
    "text",
    [
        "`[[x]]` and ``a [[x]] b``",
        "```sh\n[[ $# -gt 0 ]] && [[x]]\n```",
        "    [[x]]",
        "<!-- [[x]] -->",
        "a <!-- [[x]] --> b",
        '<a title="[[x]]">y</a>',
        "\\[[x]]",
        "$[[x]]$ and $$[[x]]$$",
        "$$\n[[x]]\n$$",
        "%%[[x]]%%",
        "%%\n[[x]]\n\n[[x]]\n%%",
        "[^1] and [^note]\n\n[^1]: text.md",
        "[[]] [[ ]] [[|x]] [[#]]",
        "[x]()",
        "[[a\nb]]",
        "+++\nx = 'https://e.org/x.md'\n+++",
    ],
)
def test_what_is_no_text_holds_no_link(text: str) -> None:
    assert parse(text).links == ()


def test_yaml_holds_links_with_and_without_quotes() -> None:
    text = (
        "---\na: [[A]]\nb: '[[O''B|it''s]]'\nc: \"[[C\\\"D\\\\E]]\"\nd: [[1, 2], [3, 4]]\n"
        "e: ['![[E]]', [[F]]]\n---\n"
    )
    assert targets_of(text) == [(2, "A"), (3, "O'B"), (4, 'C"D\\E'), (6, "E"), (6, "F")]


def test_toml_holds_links_in_its_strings_only() -> None:
    text = (
        '+++\na = "[[A]]"\nb = [\'[[B]]\', "x"] # don\'t [[no]]\nc = [[1, 2], [3]]\n'
        "d = '''\n[[D]]'''\n[[no]]\ne = 1\n+++\n"
    )
    assert targets_of(text) == [(2, "A"), (3, "B"), (6, "D")]


def test_an_unclosed_opener_hides_no_link_behind_it() -> None:
    assert targets_of("[[a [[b]] %% [[c]] $ [[d]] [[[e]] [x [[f]] y](g)") == [(1, name) for name in "bcdef"]


def test_footnotes_may_hold_links() -> None:
    assert targets_of("a[^1]\n\n[^1]: [[X]] and [y](y.md)") == [(3, "X"), (3, "y.md")]


def test_links_name_their_line_and_section() -> None:
    text = (
        "---\nup: [[A]]\n---\n# H [[B]]\n\none\ntwo [c](c.md) and\n![d](d.png) [[E]]\n\n"
        "- x\n  - y\n    [[F]]\n\n> q\n> [[G]]\n\n| a | b |\n|---|---|\n| [[H\\|h]] | [i](i.md) |\n\n"
        "[![j](j.png)](k.md)\n"
    )
    assert targets_of(text) == [
        (2, "A"),
        (4, "B"),
        (7, "c.md"),
        (8, "d.png"),
        (8, "E"),
        (12, "F"),
        (15, "G"),
        (19, "H"),
        (19, "i.md"),
        (21, "k.md"),
        (21, "j.png"),
    ]
    assert {link.heading_path for link in parse(text).links} == {(), ("H B",)}


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_hold_for_every_line_end(ending: str) -> None:
    assert targets_of(ending.join(["a", "", "b", "c [[X]]", "[[Y]]"])) == [(4, "X"), (5, "Y")]


def test_tags_of_metadata_and_text_are_joined() -> None:
    text = (
        "---\ntags: [one, two]\n---\n# H #three\n\n#two #a/b-c, #12 x#no \\#no `#no` [#no](x.md#no)\n#中文\n"
    )
    assert parse(text).tags == ("one", "two", "three", "a/b-c", "中文")


def test_names_of_blocks() -> None:
    text = (
        "para text ^p-1\n\n- item ^li1\n- two\n  more ^li2\n\n| a |\n|---|\n| 1 |\n\n^tb\n\n"
        "> q\n> r\n\n^qu\n\nx^no\n\n`^no`\n\n| a | b |\n|---|---|\n| 1 ^no | ^no |\n^tb2\n"
    )
    assert parse(text).blocks == (
        BlockAnchor(block_id="p-1", line=1),
        BlockAnchor(block_id="li1", line=3),
        BlockAnchor(block_id="li2", line=4),
        BlockAnchor(block_id="tb", line=7),
        BlockAnchor(block_id="qu", line=13),
        BlockAnchor(block_id="tb2", line=22),
    )


def test_logseq_reads_the_properties_of_a_page() -> None:
    text = "title:: My [[Page]]\nalias:: one, two\ntags:: [[three]]\n\n- block\n"
    page = parse(text, "logseq")
    assert (page.title, page.aliases, page.tags) == ("My Page", ("one", "two"), ("three",))
    assert page.chunks[0].text.startswith("title:: My")
    assert parse(text).title == "page"


@pytest.mark.parametrize(
    ("target", "external"),
    [("https://e.org", True), ("mailto:a@b.c", True), ("//e.org", True), ("a.md", False), ("C:/x", False)],
)
def test_external_targets(target: str, external: bool) -> None:
    assert is_external(target) is external
