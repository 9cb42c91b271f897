"""BM25 against its formula written out, and in the corpora that break it elsewhere."""

from math import log

import pytest

from retrieval.bm25 import CorpusStatistics, score, upper_bound

STATISTICS = CorpusStatistics(
    document_count=1_000, average_length=4.0, document_frequency={"deploy": 10, "the": 990}
)


def test_score_is_the_formula_with_statistics_of_the_corpus() -> None:
    documents = [["deploy", "the", "deploy"], ["the", "x", "y", "z", "a", "b"], []]
    deploy = log(1 + (1_000 - 10 + 0.5) / (10 + 0.5))
    the = log(1 + (1_000 - 990 + 0.5) / (990 + 0.5))
    assert score(["deploy", "the"], documents, STATISTICS) == pytest.approx(
        [
            deploy * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 4))
            + the * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / 4)),
            the * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 6 / 4)),
            0.0,
        ]
    )


def test_repeated_query_term_counts_once() -> None:
    assert score(["deploy"] * 3, [["deploy"]], STATISTICS) == score(["deploy"], [["deploy"]], STATISTICS)


@pytest.mark.parametrize(
    ("count", "frequency"),
    [(1, 1), (2, 1), (2, 2), (4, 2), (1, 5), (0, 0)],
)
def test_document_with_a_term_always_scores_above_one_without(count: int, frequency: int) -> None:
    statistics = CorpusStatistics(
        document_count=count, average_length=2.0, document_frequency={"windy": frequency}
    )
    with_term, without = score(["windy"], [["windy", "london"], ["hello", "there"]], statistics)
    assert with_term > without == 0


@pytest.mark.parametrize("documents", [[], [[]], [[], []], [["x"]]])
def test_empty_documents_score_nothing(documents: list[list[str]]) -> None:
    nothing = CorpusStatistics(document_count=0, average_length=0.0, document_frequency={})
    assert score(["windy"], documents, nothing) == [0.0] * len(documents)
    assert score([], documents, nothing) == [0.0] * len(documents)


def test_no_document_exceeds_the_bound() -> None:
    bound = upper_bound(["deploy", "deploy", "unknown"], STATISTICS)
    assert bound == pytest.approx(
        2.2 * log(1 + (1_000 - 10 + 0.5) / (10 + 0.5)) + 2.2 * log(1 + (1_000 + 0.5) / 0.5)
    )
    best = score(["deploy", "unknown"], [["deploy", "unknown"] * 10_000], STATISTICS)[0]
    assert best <= bound
