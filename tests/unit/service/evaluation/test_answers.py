"""Whether evidence holds an answer."""

import pytest
from rankings import make_evidence

from service.evaluation.answers import holds_answer, holds_sources, normalise
from service.evaluation.dataset import Answer, Source

SOURCE = Source(page="a.md", text="The pump stands in the harbour store. It weighs 38 kg.")


def held(text: str, *answers: str, path: str = "other.md") -> bool:
    return holds_answer([make_evidence(path, text)], Answer(texts=answers, sources=(SOURCE,)))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It is in the  Harbour\nStore.", "harbour store"),
        ("See [[pumps/harbour|the pump]] there", "The pump"),
        ("See [[Pump]] there", "pump"),
        ("共３８公斤重", "38"),
        ("由光荣和ω-force开发", "光荣和ω-force"),
        ("1973 and 7", "7"),
    ],
)
def test_an_answer_is_in_a_text(text: str, answer: str) -> None:
    assert held(text, answer)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("In 1973", "7"),
        ("the Rushmore", "Rush"),
        ("no pump, yes", "yes"),
        ("pump", " "),
        ("pumps/[[x|y]]", "x"),
    ],
)
def test_what_only_looks_like_an_answer(text: str, answer: str) -> None:
    assert not held(text, answer)


def test_any_answer_of_any_passage_will_do() -> None:
    evidence = [make_evidence("x.md", "nothing"), make_evidence("y.md", "two")]
    assert holds_answer(evidence, Answer(texts=("one", "two"), sources=()))
    assert not holds_answer([], Answer(texts=("one",), sources=(SOURCE,)))


def test_text_of_the_source_counts_on_its_page_alone() -> None:
    text = "# Pump\n\nIt weighs 38 kg.\n"
    assert held(text, "yes", path="a.md")
    assert not held(text, "yes", path="b.md")
    assert held(f"Before. {SOURCE.text} After.", "yes", path="a.md")


def test_a_heading_of_the_source_is_not_enough() -> None:
    assert not held("# Pump\n\nSomething else.\n", "yes", path="a.md")


def test_every_page_of_an_answer_has_to_be_there_with_its_source() -> None:
    other = Source(page="b.md", text="The harbour store was built in 1901. It burned twice.")
    again = Source(page="a.md", text="Its hose is red.")
    answer = Answer(texts=("1901",), sources=(SOURCE, again, other))
    first, second = make_evidence("a.md", "It weighs 38 kg."), make_evidence("b.md", "It burned twice.")
    assert holds_sources([first, second], answer)
    assert holds_sources([second, make_evidence("a.md", "Its hose is red.")], answer)
    assert not holds_sources([first], answer)
    assert not holds_sources([first, make_evidence("c.md", "Built in 1901.")], answer)
    assert not holds_sources([first, make_evidence("b.md", "Other text.")], answer)


def test_texts_are_compared_without_marks_case_and_blanks() -> None:
    assert normalise(" A [[b#c|D]]\n\n ﬁne ") == "a d fine"
