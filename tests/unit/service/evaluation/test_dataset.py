"""Reading a set."""

from pathlib import Path

import pytest

from service.errors import InvalidSet
from service.evaluation.dataset import Answer, Query, Section, Source, read_set

QUERIES = (
    '{"id": "q1", "text": "one", "lang": "en"}\n'
    "\n"
    '{"_id": "q2", "text": "two"}\n'
    '{"id": "q3", "text": "three"}\n'
)
QRELS = "query-id\tcorpus-id\tscore\nq1\ta b.md\t1\nq1\tc.md\t0\nq2\tc.md\t2\nq3\tc.md\t0\n"
SECTIONS = "query-id\tcorpus-id\theading\tfirst-line\tlast-line\nq1\ta b.md\tHead\t3\t5\n"
EVIDENCE = '{"id": "q1", "answers": ["yes"], "evidence": [{"page": "a b.md", "text": "t\u2028u"}]}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    (folder / "corpus").mkdir(parents=True)
    for page in ("a b.md", "c.md"):
        (folder / "corpus" / page).write_text("# Page\n")
    write(folder, "queries.jsonl", QUERIES)
    write(folder, "qrels.tsv", QRELS)
    return folder


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).write_bytes(text.encode())


def test_a_set_with_judgments_of_pages(folder: Path) -> None:
    found = read_set(folder)
    assert (found.name, found.corpus) == ("small", folder / "corpus")
    assert found.queries == (Query(id="q1", text="one", language="en"), Query(id="q2", text="two"))
    assert found.grades == {"q1": {"a b.md": 1, "c.md": 0}, "q2": {"c.md": 2}, "q3": {"c.md": 0}}
    assert (found.sections, found.answers) == ({}, {})


def test_sections_and_answers_where_there_are_any(folder: Path) -> None:
    write(folder, "qrels_sections.tsv", SECTIONS)
    write(folder, "evidence.jsonl", EVIDENCE)
    found = read_set(folder)
    assert found.sections == {"q1": (Section(page="a b.md", first_line=3, last_line=5),)}
    source = Source(page="a b.md", text="t\u2028u")
    assert found.answers == {"q1": Answer(texts=("yes",), sources=(source,))}


def test_windows_line_ends_and_a_byte_order_mark(folder: Path) -> None:
    write(folder, "qrels.tsv", "\ufeff" + QRELS.replace("\n", "\r\n"))
    assert read_set(folder).grades["q2"] == {"c.md": 2}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("queries.jsonl", QUERIES + "{", "queries.jsonl:5: Expecting property name"),
        ("queries.jsonl", "[]\n", "queries.jsonl:1: this is no JSON object"),
        ("queries.jsonl", '{"id": 1, "text": "one"}', "queries.jsonl:1: `id` has to be a text"),
        ("queries.jsonl", '{"id": "q1", "text": " "}', "queries.jsonl:1: `text` has to be a text"),
        ("queries.jsonl", QUERIES + QUERIES, "queries.jsonl:5: id 'q1' is there twice"),
        ("qrels.tsv", "q1\tc.md\t1\n", "qrels.tsv:1: the first line has to be"),
        ("qrels.tsv", QRELS + "q1\tc.md\n", "qrels.tsv:6: 2 columns instead of 3"),
        ("qrels.tsv", QRELS + "q9\tc.md\t1\n", "qrels.tsv:6: `query-id`: there is no query 'q9'"),
        ("qrels.tsv", QRELS + "q2\tx.md\t1\n", "qrels.tsv:6: `corpus-id`: there is no page 'x.md'"),
        ("qrels.tsv", QRELS + "q2\ta b.md\t-1\n", "qrels.tsv:6: `score` has to be a whole number"),
        ("qrels.tsv", QRELS + "q2\tc.md\t1\n", "qrels.tsv:6: page 'c.md' is judged twice"),
        ("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\tc.md\t0\n", "qrels.tsv names no relevant page"),
        ("qrels_sections.tsv", SECTIONS + "q2\tc.md\tH\t5\t3\n", "qrels_sections.tsv:3: `first-line` 5 to"),
        ("qrels_sections.tsv", SECTIONS + "q2\tc.md\tH\t5\tx\n", "qrels_sections.tsv:3: `last-line` has to"),
        ("evidence.jsonl", '{"id": "q1", "answers": "yes"}', "evidence.jsonl:1: `answers` has to be"),
        ("evidence.jsonl", '{"id": "q1", "answers": []}', "evidence.jsonl:1: `evidence` has to be"),
        ("evidence.jsonl", EVIDENCE + EVIDENCE.replace("q1", "q9"), "evidence.jsonl:2: `id`: there is no"),
        ("evidence.jsonl", EVIDENCE.replace("a b.md", "x.md"), "evidence.jsonl:1: `page`: there is no page"),
        ("evidence.jsonl", EVIDENCE.replace('"text"', '"txt"'), "evidence.jsonl:1: `text` has to be a text"),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(folder: Path, name: str, text: str, message: str) -> None:
    write(folder, name, text)
    with pytest.raises(InvalidSet) as caught:
        read_set(folder)
    assert str(caught.value).startswith(f"{folder}/{message}")


def test_what_is_missing_is_named(folder: Path, tmp_path: Path) -> None:
    (folder / "qrels.tsv").unlink()
    with pytest.raises(InvalidSet, match=r"cannot read .*qrels\.tsv"):
        read_set(folder)
    with pytest.raises(InvalidSet, match="there is no folder"):
        read_set(tmp_path / "other")
