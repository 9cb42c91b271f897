"""What a page vector is made of."""

import pytest
from fakes import FakeCounter

from chunking import ChunkingOptions, Page, parse_page
from indexer.page_text import choose_page_text, write_page_text

PAGE = """\
# Pump

The pump lifts water from the well.

## Seals

## Wear

They last two years.

A leak shows first
as a wet foot.
"""
NAMES = ["Pump", "Seals", "Wear"]
OPENINGS = ["The pump lifts water from the well.", "They last two years. A leak shows first as a wet foot."]
LEAD = ["# Pump", OPENINGS[0]]


def parse(text: str) -> Page:
    return parse_page("pump.md", text, options=ChunkingOptions(), counter=FakeCounter())


def write(text: str, *, window: int = 256) -> list[str]:
    return write_page_text(parse(text), FakeCounter(window=window)).split("\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_it_is_title_headings_openings_of_sections_and_lead(end: str) -> None:
    assert write(PAGE.replace("\n", end)) == [*NAMES, *OPENINGS, *LEAD]


def test_it_ends_with_the_line_that_the_model_has_no_room_for() -> None:
    page = parse(PAGE)
    room = sum(FakeCounter().count([*NAMES, OPENINGS[0]]))
    for window in (room, room + 1):
        assert write(PAGE, window=window) == [*NAMES, OPENINGS[0]]
    assert write_page_text(page, FakeCounter(window=1)) == "Pump"


def test_an_opening_is_cut() -> None:
    long = "word " * 100
    assert f"{long[:199]}" in write(f"# Pump\n\n{long}\n\n## Wear\n\nnone\n")


def test_text_above_all_headings_opens_a_section_of_its_own() -> None:
    assert write("#1 of all pumps\n\n# Wear\n\nnone\n") == [
        "pump",
        "Wear",
        "#1 of all pumps",
        "none",
        "#1 of all pumps",
    ]


def test_a_page_of_one_section_has_no_openings() -> None:
    page = parse("# Pump\n\n" + "water lifts. " * 300)
    assert len(page.chunks) > 1
    assert write_page_text(page, FakeCounter()).startswith("Pump\n# Pump\n")


def test_a_page_of_one_chunk_is_embedded_as_that() -> None:
    page = parse("# Pump\n\nIt lifts water.\n")
    assert choose_page_text(page, FakeCounter()) == ("chunk", page.chunks[0].embedded_text)
    assert choose_page_text(parse(PAGE), FakeCounter())[0] == "page"


def test_a_page_without_text_has_no_page_text() -> None:
    assert write_page_text(parse("---\ntitle: Pump\n---\n"), FakeCounter()) == ""
