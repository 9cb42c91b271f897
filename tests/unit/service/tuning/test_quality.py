"""What an answer to a label is worth."""

from dataclasses import replace

import pytest
from rankings import make_candidate

from retrieval.candidate import Candidate
from service.tuning.labels import Label, Place
from service.tuning.quality import mean, measure_quality

PAGE = Label(kind="link", query="page", places=(Place(path="b.md"),))
SECTION = Label(kind="heading", query="section", places=(Place(path="b.md", heading_path=("B", "Two")),))
TWO = Label(kind="link", query="two", places=(Place(path="a.md"), Place(path="b.md")))


def found(path: str, *headings: str) -> Candidate:
    return replace(make_candidate(path, 0), heading_path=headings)


def test_pages_count_once_at_their_first_passage() -> None:
    ranking = [found("a.md"), found("a.md"), found("b.md")]
    assert measure_quality([(PAGE, ranking)]) == {PAGE.key: pytest.approx(0.6309, abs=1e-4)}
    assert measure_quality([(TWO, ranking)]) == {TWO.key: pytest.approx(1.0)}


def test_a_section_counts_half_by_its_page_and_half_by_its_first_passage() -> None:
    ranking = [found("b.md", "B"), found("b.md", "B", "Two", "Below")]
    assert measure_quality([(SECTION, ranking)]) == {SECTION.key: pytest.approx((1 + 0.5) / 2)}
    assert measure_quality([(SECTION, [found("b.md", "B")])]) == {SECTION.key: pytest.approx(0.5)}


def test_what_is_not_found_is_worth_nothing() -> None:
    qualities = measure_quality([(PAGE, []), (SECTION, [found("a.md", "B", "Two")])])
    assert qualities == {PAGE.key: 0.0, SECTION.key: 0.0}
    assert mean(qualities) == 0.0
