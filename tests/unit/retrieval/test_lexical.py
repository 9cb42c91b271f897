"""What the words of a query say of its candidates, and of what the wiki does not hold."""

from dataclasses import replace

import pytest
from rankings import make_candidate

from retrieval.analyzer import analyze, analyze_query
from retrieval.bm25 import CorpusStatistics
from retrieval.lexical import LexicalScorer
from retrieval.words import is_identifier

TEXTS = ("error E-4712 the disk is full", "undo the release", "release notes of the release")


def make_scorer(query: str, *languages: str) -> LexicalScorer:
    documents = [set(analyze(text)) for text in TEXTS]
    terms = analyze_query(query, languages)
    frequency = {
        term: count for term in terms.words if (count := sum(term in document for document in documents))
    }
    statistics = CorpusStatistics(document_count=3, average_length=6.0, document_frequency=frequency)
    return LexicalScorer(terms, chunks=statistics, pages=statistics)


@pytest.mark.parametrize(
    ("query", "held"),
    [("E-4712", 1.0), ("disk full", 1.0), ("notes", 1.0), ("absent", 0.0), ("disk notes", 0.5)],
)
def test_the_share_of_the_query_that_one_passage_has(query: str, held: float) -> None:
    candidates = [replace(make_candidate("a", 0), terms=tuple(analyze(text))) for text in TEXTS]
    assert max(map(make_scorer(query).held, candidates)) == pytest.approx(held)


def test_the_shares_of_words_are_those_of_their_weight() -> None:
    scorer = make_scorer("release disk absent")
    release, disk, absent = scorer.shares.values()
    assert release < disk < absent
    assert release + disk + absent == pytest.approx(1.0)
    candidate = replace(make_candidate("a", 0), terms=("disk", "full", "disk"))
    assert scorer.find_words(candidate) == {"disk"}


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        ("E-4712", False),
        ("E-4711", True),
        ("what does E-4711 mean", True),
        ("code:E-4712", False),
        ("code:E-4711", True),
        ("undo the release of v2.13 with a full disk", False),
        ("foo_bar", True),
        ("absent words", False),
        ("1969", False),
        ("error of 1969", False),
    ],
)
def test_identifiers_that_the_wiki_does_not_hold(query: str, missing: bool) -> None:
    assert make_scorer(query).misses_identifiers == missing
    assert make_scorer(query, "de", "en").misses_identifiers == missing


@pytest.mark.parametrize(
    ("query", "asks"),
    [("E-4712", True), ("what does E-4711 mean", True), ("undo the release", False), ("", False)],
)
def test_queries_for_identifiers(query: str, asks: bool) -> None:
    assert make_scorer(query).asks_for_identifiers == asks


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        *(
            (name, True)
            for name in ("e-4712", "zorb51a", "foo_bar", "foo::bar", "ops/deploy.md", "3.14", ".docx")
        ),
        *((word, False) for word in ("word", "1969", "well-known", "接口")),
    ],
)
def test_names_made_for_machines(term: str, expected: bool) -> None:
    assert is_identifier(term) == expected
