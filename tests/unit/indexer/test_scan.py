"""What a walk takes for pages and assets, and what it reports."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.errors import InvalidPattern, RootUnavailable
from indexer.ignore import MAX_IGNORE_BYTES
from indexer.scan import Scan, ScanOptions, scan_wiki


def write(root: Path, *paths: str) -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {path}\n")


def pages(scan: Scan) -> list[str]:
    return [file.path for file in scan.files]


def issues(scan: Scan) -> list[tuple[str, str]]:
    return [(issue.path, issue.code) for issue in scan.issues]


def test_pages_and_assets_are_sorted_and_told_apart(tmp_path: Path) -> None:
    write(
        tmp_path, "b.md", "a/z.markdown", "NOTES.MD", "a/pic.png", "archive.md/inner.md", "readme.txt", "md"
    )
    scan = scan_wiki(tmp_path)
    assert pages(scan) == ["NOTES.MD", "a/z.markdown", "archive.md/inner.md", "b.md"]
    assert scan.assets == ("a/pic.png", "md", "readme.txt")
    assert scan.issues == ()


def test_size_and_mtime_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"12345")
    os.utime(tmp_path / "a.md", ns=(1, 1_000_000_007))
    (file,) = scan_wiki(tmp_path).files
    assert (file.size, file.mtime_ns) == (5, 1_000_000_007)


def test_hidden_entries_and_the_index_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, ".md", ".trash/y.md", ".obsidian/x.md", "ok.md", "index/rows.md", "index/data.lance")
    scan = scan_wiki(tmp_path, index_folder=tmp_path / "index")
    assert pages(scan) == ["ok.md"]
    assert scan.assets == ()


def test_a_folder_beside_the_index_with_a_longer_name_stays(tmp_path: Path) -> None:
    write(tmp_path, "index/rows.md", "index-cards/a.md")
    assert pages(scan_wiki(tmp_path, index_folder=tmp_path / "index")) == ["index-cards/a.md"]


@pytest.mark.parametrize(
    "name",
    [
        "my notes #1.md",
        "100% sure?.md",
        'it\'s "quoted".md',
        "🚀 start/中文 页面.md",
        "line\nbreak.md",
        "-rf.md",
    ],
)
def test_names_are_kept_as_they_are(tmp_path: Path, name: str) -> None:
    write(tmp_path, name)
    assert pages(scan_wiki(tmp_path)) == [name]


def test_decomposed_names_are_not_composed(tmp_path: Path) -> None:
    write(tmp_path, "U\u0308bersicht.md")
    assert pages(scan_wiki(tmp_path)) == ["U\u0308bersicht.md"]


def test_a_name_that_is_not_utf8_is_an_issue(tmp_path: Path) -> None:
    write(tmp_path, "ok.md")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md")).write_text("x")
    scan = scan_wiki(tmp_path)
    assert pages(scan) == ["ok.md"]
    assert issues(scan) == [("caf\\xe9.md", "name-not-utf8")]


def test_gitignore_with_negation_and_nesting(tmp_path: Path) -> None:
    write(tmp_path, "drafts/keep.md", "drafts/no.md", "node_modules/p/readme.md", "ok.md")
    write(tmp_path, "sub/a.tmp.md", "sub/b.tmp.md", "sub/deep/b.tmp.md", "c.tmp.md")
    (tmp_path / ".gitignore").write_text("node_modules/\ndrafts/*\n!drafts/keep.md\n*.tmp.md\n")
    (tmp_path / "sub" / ".gitignore").write_text("!b.tmp.md\n/deep\n")
    assert pages(scan_wiki(tmp_path)) == ["drafts/keep.md", "ok.md", "sub/b.tmp.md"]
    assert len(scan_wiki(tmp_path, ScanOptions(gitignore=False)).files) == 8


@pytest.mark.parametrize("pattern", ["drafts/*", "drafts/**", "/drafts/*.md", "drafts/[a-z]*"])
def test_a_page_of_a_folder_whose_content_is_ignored_can_be_taken_back(tmp_path: Path, pattern: str) -> None:
    write(tmp_path, "drafts/keep.md", "drafts/no.md")
    (tmp_path / ".gitignore").write_text(f"{pattern}\n!drafts/keep.md\n")
    assert pages(scan_wiki(tmp_path)) == ["drafts/keep.md"]


def test_taking_a_folder_back_does_not_take_back_the_pages_in_it(tmp_path: Path) -> None:
    write(tmp_path, "a/b/x.md", "a/b/y.markdown", "[a]/b/x.md")
    (tmp_path / ".gitignore").write_text("*.md\n")
    (tmp_path / "a" / ".gitignore").write_text("!b/\n")
    (tmp_path / "[a]" / ".gitignore").write_text("!b/x.md  \n")
    assert pages(scan_wiki(tmp_path)) == ["[a]/b/x.md", "a/b/y.markdown"]


@pytest.mark.parametrize("pattern", ["secret.md", "**/secret.md", "a*/**/secret.md", "*\nb/", "a?b"])
def test_a_line_feed_in_a_folder_hides_no_page_from_its_rules(tmp_path: Path, pattern: str) -> None:
    write(tmp_path, "a\nb/secret.md", "ok.md")
    scan = scan_wiki(tmp_path, ScanOptions(exclude=(pattern,)))
    assert pages(scan) == ["ok.md"]


def test_patterns_of_many_stars_take_no_time(tmp_path: Path) -> None:
    write(tmp_path, "a" * 250 + ".md", "a/" * 200 + "a.md")
    (tmp_path / ".gitignore").write_text(f"{'*a' * 100}b\n{'**/a/' * 100}b\n{'*a' * 100}.md\n")
    assert pages(scan_wiki(tmp_path)) == ["a/" * 200 + "a.md"]


def test_an_ignore_file_that_is_too_large_makes_its_folder_unreadable(tmp_path: Path) -> None:
    write(tmp_path, "a/x.md", "b.md", "a/.gitignore")
    os.truncate(tmp_path / "a" / ".gitignore", MAX_IGNORE_BYTES + 1)
    scan = scan_wiki(tmp_path)
    assert (pages(scan), scan.unreadable, issues(scan)) == (["b.md"], ("a",), [("a", "EFBIG")])


def test_a_list_of_what_is_not_ignored(tmp_path: Path) -> None:
    write(tmp_path, "a/x.md", "a/private.md", "b.png")
    (tmp_path / ".gitignore").write_text("*\n!*/\n!x.md\n")
    scan = scan_wiki(tmp_path)
    assert (pages(scan), scan.assets) == (["a/x.md"], ())


def test_an_ignored_folder_cannot_take_its_pages_back(tmp_path: Path) -> None:
    write(tmp_path, "build/keep.md", "ok.md")
    (tmp_path / ".gitignore").write_text("build\n!build/keep.md\n")
    assert pages(scan_wiki(tmp_path)) == ["ok.md"]


def test_a_line_that_is_no_pattern_costs_only_itself(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbf[z-a]\r\na.md\r\n!\r\n")
    scan = scan_wiki(tmp_path)
    assert pages(scan) == ["b.md"]
    assert issues(scan) == [(".gitignore", "invalid-pattern")]


def test_include_narrows_pages_and_exclude_leaves_out_folders(tmp_path: Path) -> None:
    write(tmp_path, "ops/a.md", "ops/old/b.md", "ops/a.png", "hr/c.md", "hr/c.png")
    scan = scan_wiki(tmp_path, ScanOptions(include=("ops/",), exclude=("old/",)))
    assert pages(scan) == ["ops/a.md"]
    assert scan.assets == ("hr/c.png", "ops/a.png")


def test_a_bad_pattern_of_the_settings_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidPattern, match=r"'\[z-a\]' is no gitignore pattern"):
        scan_wiki(tmp_path, ScanOptions(exclude=("[z-a]",)))


def test_symbolic_links_never_lead_out_of_the_root(tmp_path: Path) -> None:
    root, outside = tmp_path / "wiki", tmp_path / "wiki-outside"
    write(root, "ok.md", ".git/config")
    write(outside, "secret.md")
    (root / "leak.md").symlink_to(outside / "secret.md")
    (root / "leakdir").symlink_to(outside)
    (root / "config.md").symlink_to(root / ".git" / "config")
    scan = scan_wiki(root)
    assert pages(scan) == ["ok.md"]
    assert issues(scan) == [
        ("config.md", "symlink-skipped"),
        ("leak.md", "outside-root"),
        ("leakdir", "outside-root"),
    ]


def test_symbolic_links_inside_the_root_add_no_file_twice(tmp_path: Path) -> None:
    write(tmp_path, "real.md", "plain.txt", "sub/a.md")
    (tmp_path / "again.md").symlink_to("real.md")
    (tmp_path / "text.md").symlink_to("plain.txt")
    (tmp_path / "text2.md").symlink_to("text.md")
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    scan = scan_wiki(tmp_path)
    assert pages(scan) == ["real.md", "sub/a.md", "text.md"]
    assert issues(scan) == [
        ("again.md", "duplicate-symlink"),
        ("sub/up", "symlinked-folder"),
        ("text2.md", "duplicate-symlink"),
    ]


@pytest.mark.parametrize("target", ["draft.md", "notes.txt", "drafts/a.md", ".hidden/a.md", "index/a.md"])
def test_a_link_brings_back_nothing_that_is_left_out(tmp_path: Path, target: str) -> None:
    write(tmp_path, target, "pages/kept.md")
    (tmp_path / ".gitignore").write_text("draft.md\ndrafts/\nnotes.txt\n")
    (tmp_path / "pages" / "link.md").symlink_to(tmp_path / target)
    scan = scan_wiki(tmp_path, index_folder=tmp_path / "index")
    assert pages(scan) == ["pages/kept.md"]
    assert issues(scan) == [("pages/link.md", "symlink-skipped")]


def test_a_link_may_lead_to_a_page_that_is_only_not_included(tmp_path: Path) -> None:
    write(tmp_path, "all/a.md", "public/b.md")
    (tmp_path / "public" / "a.md").symlink_to("../all/a.md")
    assert pages(scan_wiki(tmp_path, ScanOptions(include=("public/",)))) == ["public/a.md", "public/b.md"]


def test_patterns_and_names_are_compared_however_they_are_composed(tmp_path: Path) -> None:
    write(tmp_path, "u\u0308ber.md", "\u00fcnder.md", "a\u0308/b.md", "kept.md")
    (tmp_path / ".gitignore").write_text("\u00fcber.md\nu\u0308nder.md\n")
    (tmp_path / "a\u0308" / ".gitignore").write_text("b.md\n")
    assert pages(scan_wiki(tmp_path)) == ["kept.md"]


def test_a_followed_link_has_the_size_of_its_target(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_bytes(b"1234567")
    (tmp_path / "a.md").symlink_to("plain.txt")
    assert scan_wiki(tmp_path).files[0].size == 7
    assert scan_wiki(tmp_path, ScanOptions(follow_symlinks=False)).files == ()


def test_links_that_lead_nowhere_are_reported(tmp_path: Path) -> None:
    (tmp_path / "gone.md").symlink_to("no-such-file.md")
    (tmp_path / "x.md").symlink_to("y.md")
    (tmp_path / "y.md").symlink_to("x.md")
    assert issues(scan_wiki(tmp_path)) == [
        ("gone.md", "dangling-symlink"),
        ("x.md", "dangling-symlink"),
        ("y.md", "dangling-symlink"),
    ]


def test_a_pipe_is_no_page(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert scan_wiki(tmp_path) == Scan(files=(), assets=(), issues=(), unreadable=())


@pytest.fixture
def locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that cannot be listed, also for a superuser, whom permissions do not stop."""
    folder = tmp_path / "locked"
    write(tmp_path, "locked/in.md", "ok.md")
    listing = os.scandir

    def refuse(path: str) -> object:
        if os.path.normpath(path) == str(folder):
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return listing(path)

    monkeypatch.setattr(os, "scandir", refuse)
    return folder


def test_a_folder_that_cannot_be_listed_is_unreadable_and_the_walk_goes_on(locked: Path) -> None:
    scan = scan_wiki(locked.parent)
    assert pages(scan) == ["ok.md"]
    assert scan.unreadable == ("locked",)
    assert issues(scan) == [("locked", "EACCES")]


def test_a_link_into_a_folder_that_cannot_be_listed_is_unreadable_too(locked: Path) -> None:
    (locked.parent / "link.md").symlink_to(locked / "in.md")
    assert scan_wiki(locked.parent).unreadable == ("link.md", "locked")


def test_a_root_that_cannot_be_used_is_an_error_that_names_it(tmp_path: Path, locked: Path) -> None:
    write(tmp_path, "file.md")
    with pytest.raises(RootUnavailable, match="'no/such' does not exist"):
        scan_wiki("no/such")
    with pytest.raises(RootUnavailable, match="is not a folder"):
        scan_wiki(tmp_path / "file.md")
    with pytest.raises(RootUnavailable, match="cannot be read"):
        scan_wiki(locked)


def test_a_root_that_is_a_symbolic_link_is_followed(tmp_path: Path) -> None:
    write(tmp_path / "real", "a.md")
    (tmp_path / "wiki").symlink_to("real")
    assert pages(scan_wiki(tmp_path / "wiki")) == ["a.md"]
