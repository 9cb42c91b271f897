"""BM25 over a few candidates with the statistics of the whole corpus.

    score(q, d) = sum over t in q of  idf(t) * f(t, d) * (k1 + 1) / (f(t, d) + k1 * (1 - b + b * |d| / avgdl))
    idf(t)      = log(1 + (N - df(t) + .5) / (df(t) + .5))

Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), with the idf that
Lucene uses: it is never negative, so a document with a query term always scores above one without. Statistics
of the candidates would be wrong: a term that all of them share would count nothing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rank_bm25 import BM25Okapi

K1 = 1.2
B = 0.75
PAGE_B = 0.9
"""For whole pages, whose length says more: many words of a long page are about something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusStatistics:
    """`document_frequency` needs the query's terms only; a term that is not in it is in no document."""

    document_count: int
    average_length: float
    document_frequency: Mapping[str, int]


def score(
    query_terms: Sequence[str],
    documents: Sequence[Sequence[str]],
    statistics: CorpusStatistics,
    *,
    lengths: Sequence[int] | None = None,
    b: float = B,
) -> list[float]:
    """Returns the BM25 score of each document, given as terms; a repeated query term counts once.

    `lengths` are those of the documents in terms, where not all of their terms are given; `b` says how much
    they count.
    """
    terms = dict.fromkeys(query_terms)
    asked = [[term for term in document if term in terms] for document in documents]
    if not any(asked):  # nothing to average: the library divides by zero
        return [0.0] * len(documents)
    model = BM25Okapi(asked, k1=K1, b=b)
    model.doc_len = lengths or [len(document) for document in documents]
    model.idf = {term: _idf(term, statistics) for term in terms}
    model.avgdl = statistics.average_length or 1.0
    return [float(value) for value in model.get_scores(list(terms))]


def upper_bound(query_terms: Sequence[str], statistics: CorpusStatistics) -> float:
    """Returns the score that no document exceeds, however often it repeats the query."""
    return sum(_idf(term, statistics) * (K1 + 1) for term in dict.fromkeys(query_terms))


def _idf(term: str, statistics: CorpusStatistics) -> float:
    count = statistics.document_count
    # More documents than there are would make the logarithm negative, or undefined.
    frequency = min(statistics.document_frequency.get(term, 0), count)
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
