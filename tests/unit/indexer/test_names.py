"""Keys of pages, assets and links, and the form in which names are compared."""

import pytest

from chunking.model import Link, LinkKind
from chunking.targets import split_target, split_url
from indexer.names import PageNames, asset_keys, fold_name, page_keys, strip_page_extension
from indexer.targets import link_keys


def keys_of(target: str, kind: LinkKind = "wikilink") -> tuple[str, ...]:
    parts = split_target(target, "obsidian") if kind == "wikilink" else split_url(target)
    return link_keys(
        Link(line=1, kind=kind, target=target, page=parts.page, heading=parts.heading, block=parts.block)
    )


def test_a_page_is_found_by_stem_title_and_aliases() -> None:
    names = PageNames(path="ops/Deploy.md", title="How we deploy", aliases=("Release", "Go/Live"))
    assert page_keys(names) == {"deploy", "how we deploy", "release", "go/live"}


def test_a_page_that_stands_for_its_folder_has_the_key_of_the_folder() -> None:
    assert page_keys(PageNames(path="a/Guides/README.md")) == {"readme", "guides"}
    assert page_keys(PageNames(path="hugo/_index.md")) == {"_index", "hugo"}
    assert page_keys(PageNames(path="index.md")) == {"index"}


def test_a_logseq_page_has_the_last_part_of_its_namespace() -> None:
    assert page_keys(PageNames(path="pages/a___B.md")) == {"a___b", "b"}


def test_an_asset_is_found_by_its_file_name() -> None:
    assert asset_keys("img/Pic.PNG") == {"pic.png"}


@pytest.mark.parametrize(
    ("target", "kind", "keys"),
    [
        ("ops/Deploy.md", "wikilink", ("deploy", "deploy.md", "ops/deploy.md")),
        ("Sprint #4", "wikilink", ("sprint", "sprint #4")),
        ("my%2Bnotes.md", "markdown", ("my%2bnotes", "my%2bnotes.md", "my+notes", "my+notes.md")),
        ("my page", "wikilink", ("my page", "my-page")),
        ("a#b#c", "wikilink", ("a", "a#b", "a#b#c")),
        ("guides/", "wikilink", ("guides", "guides/")),
        ("../", "wikilink", ("../", "_index", "index", "readme")),
        ("#Heading", "wikilink", ("#heading",)),
        ("https://example.org", "markdown", ()),
    ],
)
def test_a_link_has_the_keys_of_all_its_readings(target: str, kind: LinkKind, keys: tuple[str, ...]) -> None:
    assert keys_of(target, kind) == keys


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("Deploy", "deploy"),
        ("U\u0308bersicht", "\u00fcbersicht"),
        ("STRASSE", fold_name("Straße")),
        ("\u0130", "i\u0307"),
        ("ΣΑΣ", fold_name("σας")),
        ("中文", "中文"),
    ],
)
def test_names_are_folded_by_case_and_composition(name: str, folded: str) -> None:
    assert fold_name(name) == folded


@pytest.mark.parametrize(
    ("name", "stem"),
    [("A.md", "A"), ("A.MARKDOWN", "A"), ("A.md.md", "A.md"), ("A.txt", "A.txt"), ("md", "md")],
)
def test_only_page_extensions_are_stripped(name: str, stem: str) -> None:
    assert strip_page_extension(name) == stem
