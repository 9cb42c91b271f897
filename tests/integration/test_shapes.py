"""A wiki whose entries become others: after each run its index is that of a new one."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from workbench import Workbench

WIKI = {
    "home.md": "# Home\n\n[[other]] and [[Part/page]]\n",
    "other.md": "# Other\n\nback to [[home]]\n",
    "Part/page.md": "# Page\n\n[[home]]\n",
}


def swap_names(bench: Workbench) -> None:
    bench.move("home.md", "aside")
    bench.move("other.md", "home.md")
    bench.move("aside", "other.md")


def change_case_of_folder(bench: Workbench) -> None:
    bench.move("Part", "part")


def make_page_an_asset(bench: Workbench) -> None:
    bench.move("other.md", "other.txt")


def change_case_of_ending(bench: Workbench) -> None:
    bench.move("other.md", "other.MD")


def make_page_a_folder(bench: Workbench) -> None:
    bench.delete("other.md")
    bench.write("other.md/inner.md", "# Inner\n\n[[other]]\n")


def make_folder_a_page(bench: Workbench) -> None:
    shutil.rmtree(bench.root / "Part")
    bench.write("Part", "no page")
    bench.write("Part.md", "# Part\n\n[[Part/page]]\n")


def make_page_a_link(bench: Workbench) -> None:
    bench.delete("other.md")
    (bench.root / "other.md").symlink_to("Part/page.md")


def make_page_a_dangling_link(bench: Workbench) -> None:
    bench.delete("other.md")
    (bench.root / "other.md").symlink_to("nowhere.md")


def ignore_page(bench: Workbench) -> None:
    bench.write(".gitignore", "other.md\n")


def delete_all_pages(bench: Workbench) -> None:
    for path in WIKI:
        bench.delete(path)
    bench.write("left.txt", "no page")


@pytest.mark.parametrize(
    "change",
    [
        swap_names,
        change_case_of_folder,
        make_page_an_asset,
        change_case_of_ending,
        make_page_a_folder,
        make_folder_a_page,
        make_page_a_link,
        make_page_a_dangling_link,
        ignore_page,
        delete_all_pages,
    ],
)
def test_the_index_is_that_of_a_new_one_there_and_back(
    tmp_path: Path, change: Callable[[Workbench], None]
) -> None:
    bench = Workbench(tmp_path, WIKI)
    asyncio.run(bench.run())
    change(bench)
    asyncio.run(bench.run())
    assert asyncio.run(bench.rows()) == asyncio.run(bench.fresh_rows())
    shutil.rmtree(bench.root)
    bench = Workbench(tmp_path, WIKI)
    asyncio.run(bench.run())
    assert asyncio.run(bench.rows()) == asyncio.run(bench.fresh_rows())
