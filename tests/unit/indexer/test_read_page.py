"""Pages are read from inside the wiki and nowhere else."""

import os
from pathlib import Path

import pytest

from indexer.files import MAX_PAGE_BYTES, read_regular
from indexer.scan import read_page


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "wiki"
    (root / "sub").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / "sub" / "a.md").write_bytes(b"\xef\xbb\xbf# A\r\n")
    (root / ".git" / "config").write_text("token")
    (tmp_path / "secret.md").write_text("secret")
    return root


def test_bytes_come_back_unchanged(root: Path) -> None:
    (root / "link.md").symlink_to("sub/a.md")
    assert read_page(root, "sub/a.md") == b"\xef\xbb\xbf# A\r\n"
    assert read_page(root, "link.md") == b"\xef\xbb\xbf# A\r\n"


@pytest.mark.parametrize(
    "path", ["../secret.md", "sub/../../secret.md", "/etc/hostname", ".git/config", ".."]
)
def test_paths_out_of_the_wiki_are_refused(root: Path, path: str) -> None:
    with pytest.raises(PermissionError):
        read_page(root, path)


def test_a_page_that_became_a_link_to_a_secret_is_refused(root: Path, tmp_path: Path) -> None:
    (root / "out.md").symlink_to(tmp_path / "secret.md")
    (root / "hidden.md").symlink_to(root / ".git" / "config")
    for path in ("out.md", "hidden.md"):
        with pytest.raises(PermissionError):
            read_page(root, path)


def test_only_regular_files_are_read(root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    with pytest.raises(OSError, match="not a regular file"):
        read_page(root, "pipe.md")
    with pytest.raises(IsADirectoryError):
        read_page(root, "sub")


def test_a_file_that_is_too_large_is_not_read(root: Path) -> None:
    os.truncate(root / "sub" / "a.md", MAX_PAGE_BYTES)
    assert len(read_page(root, "sub/a.md")) == MAX_PAGE_BYTES
    os.truncate(root / "sub" / "a.md", 10 * 1024**3)
    with pytest.raises(OSError, match="too large"):
        read_page(root, "sub/a.md")


def test_a_folder_that_becomes_a_link_on_the_way_leads_nowhere(root: Path, tmp_path: Path) -> None:
    (root / "sub").rename(tmp_path / "sub")
    (root / "sub").symlink_to(tmp_path / "sub")
    with pytest.raises(NotADirectoryError):
        read_regular(str(root), "sub/a.md", most=100)


@pytest.mark.parametrize("path", ["gone.md", "a.md\0.txt"])
def test_missing_files_are_named_without_the_root(root: Path, path: str) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        read_page(root, path)
    assert raised.value.filename == path
    assert str(root) not in str(raised.value)
