"""The door to pages as they are now: what it opens, and what it takes for not there."""

import os
from pathlib import Path

import pytest

from indexer.files import MAX_PAGE_BYTES
from indexer.live import LivePages
from indexer.scan import ScanOptions, scan_wiki

FILES = [
    "index.md",
    "Notes/A page.MARKDOWN",
    "deep/er/page.md",
    "kept/page.md",
    ".hidden.md",
    ".git/page.md",
    "deep/.trash/page.md",
    "plain.txt",
    "no-ending",
    "ignored/page.md",
    "deep/draft.md",
    "deep/er/draft.md",
    "excluded/page.md",
    ".wikitrail/page.md",
    "index-folder/page.md",
]
OPTIONS = ScanOptions(exclude=("excluded/",))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "wiki"
    for path in FILES:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)
    (root / ".gitignore").write_text("ignored/\n[broken\n")
    (root / "deep/.gitignore").write_text("draft.md\n!er/draft.md\n")
    (tmp_path / "outside.md").write_text("secret")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/page.md").write_text("secret")
    (root / "out.md").symlink_to(tmp_path / "outside.md")
    (root / "out").symlink_to(tmp_path / "folder")
    (root / "in").symlink_to(root / "deep")
    (root / "hidden-link.md").symlink_to(root / ".hidden.md")
    (root / "index-link.md").symlink_to(root / "index-folder/page.md")
    (root / "text-link.md").symlink_to(root / "plain.txt")
    (root / "loop.md").symlink_to(root / "loop.md")
    (root / "folder.md").mkdir()
    os.mkfifo(root / "pipe.md")
    return root


def open_pages(root: Path, options: ScanOptions = OPTIONS) -> LivePages:
    return LivePages(root, options, index_folder=str(root / "index-folder"))


@pytest.mark.parametrize(
    "options",
    [
        OPTIONS,
        ScanOptions(),
        ScanOptions(gitignore=False),
        ScanOptions(include=("deep/",)),
        ScanOptions(exclude=("*.md", "!index.md")),
        ScanOptions(follow_symlinks=False),
    ],
)
def test_exactly_what_a_scan_takes_for_a_page_is_there(root: Path, options: ScanOptions) -> None:
    scanned = {file.path for file in scan_wiki(root, options, index_folder=root / "index-folder").files}
    pages = open_pages(root, options)
    names = [str(path.relative_to(root)) for path in root.rglob("*")]
    names += ["in/er/page.md", "out/page.md"]
    there = set()
    for name in names:
        try:
            assert pages.read(name).raw == (root / name).read_bytes()
            there.add(name)
        except FileNotFoundError:
            continue
    assert there == scanned != set()


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        ".",
        "..",
        "../outside.md",
        "deep/../index.md",
        "./index.md",
        "/index.md",
        "//index.md",
        "deep//er/page.md",
        "index.md/",
        "index.md/page.md",
        "index.md\0",
        "\0",
        "a" * 300 + ".md",
        "a/" * 3_000 + "page.md",
        "\udcff.md",
        "INDEX.md",
        "deep\\er\\page.md",
    ],
)
def test_any_other_path_is_not_there(root: Path, path: str) -> None:
    with pytest.raises(FileNotFoundError):
        open_pages(root).read(path)


def test_absolute_path_of_a_page_is_not_there(root: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_pages(root).read(str(root / "index.md"))


def test_times_are_those_of_the_file(root: Path) -> None:
    os.utime(root / "index.md", (1_000, 2_000))
    assert open_pages(root).read("index.md").modified == 2_000


def test_rules_are_read_each_time(root: Path) -> None:
    pages = open_pages(root)
    assert pages.read("kept/page.md").raw
    (root / ".gitignore").write_text("kept/\n")
    with pytest.raises(FileNotFoundError):
        pages.read("kept/page.md")


def test_link_to_a_page_that_is_ignored_leads_nowhere(root: Path) -> None:
    (root / "text-link.md").unlink()
    (root / "text-link.md").symlink_to("ignored/page.md")
    with pytest.raises(FileNotFoundError):
        open_pages(root).read("text-link.md")


def test_file_that_is_too_large_is_not_read(root: Path) -> None:
    os.truncate(root / "index.md", MAX_PAGE_BYTES)
    assert len(open_pages(root).read("index.md").raw) == MAX_PAGE_BYTES
    os.truncate(root / "index.md", MAX_PAGE_BYTES + 1)
    with pytest.raises(OSError, match="too large") as caught:
        open_pages(root).read("index.md")
    assert not isinstance(caught.value, FileNotFoundError)
    assert str(root) not in str(caught.value)


@pytest.mark.parametrize("state", ["missing", "empty", "a file"])
def test_folder_that_is_away_says_nothing_of_its_pages(tmp_path: Path, state: str) -> None:
    root = tmp_path / "mount"
    if state == "empty":
        root.mkdir()
    elif state == "a file":
        root.write_text("not mounted")
    with pytest.raises(OSError, match="the wiki's folder") as caught:
        open_pages(root).read("index.md")
    assert not isinstance(caught.value, FileNotFoundError)


def test_only_page_is_gone_where_the_folder_holds_anything_else(tmp_path: Path) -> None:
    (tmp_path / ".wikitrail").mkdir()
    with pytest.raises(FileNotFoundError):
        LivePages(tmp_path, ScanOptions(), index_folder=str(tmp_path / ".wikitrail")).read("index.md")
