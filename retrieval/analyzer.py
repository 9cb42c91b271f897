"""The analyzer: from text to the terms of the lexical lane, by one set of rules for pages and queries.

    text ── normalise ──> runs ── expand ──> terms

Index and query side differ in two ways only: a query has each term once, and asks for pairs of unspaced
letters where the index holds single letters too. So the terms of any stretch of words of a text are among
the text's own.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from retrieval.scripts import normalise
from retrieval.stopwords import STOP_WORDS
from retrieval.words import GramRule, expand_run, find_runs, index_grams, make_term, query_grams

ANALYZER_VERSION = 2
"""Raised whenever the same text would give other terms: the lexical side is then built anew."""

MAX_QUERY_TERMS = 512
"""Distinct terms of a query that are searched for. Of more the longest are kept, for rare words are long."""

TITLE_WEIGHT = 2
HEADING_WEIGHT = 2
"""How often title and heading words count for each time they are written; a word of the body counts once."""

_LONGEST_CACHED_RUN = 64
_STOP_TERMS = frozenset(make_term(word) for word in STOP_WORDS)


def analyze(text: str) -> list[str]:
    """Returns the terms of `text` for the index, with repetitions, in the order of the text.

    No term is empty, holds white space or is longer than `words.LONGEST_TERM` characters.
    """
    return _collect_terms(text, index_grams)


def analyze_query(text: str) -> list[str]:
    """Returns the distinct terms that a query asks for, at most `MAX_QUERY_TERMS`, in the order of the text.

    Stop words are left out unless nothing else remains.
    """
    terms = list(dict.fromkeys(_collect_terms(text, query_grams)))
    telling = [term for term in terms if term not in _STOP_TERMS]
    return _keep_longest(telling or terms)


def chunk_terms(
    *, title: str, heading_path: Sequence[str], file_name: str, body: str, table_header: str | None
) -> list[str]:
    """Returns the terms of a chunk: title and headings weigh more than the body, by repetition.

    `file_name` counts once, without its extension; `table_header` is the header of a table that began in an
    earlier chunk. One list serves the full-text index, document frequencies and BM25 alike.
    """
    terms = analyze(title) * TITLE_WEIGHT
    for heading in heading_path:
        terms += analyze(heading) * HEADING_WEIGHT
    terms += analyze(PurePosixPath(file_name).stem)
    terms += analyze(table_header or "")
    terms += analyze(body)
    return terms


def _collect_terms(text: str, grams: GramRule) -> list[str]:
    terms: list[str] = []
    for run in find_runs(normalise(text)):
        if len(run) <= _LONGEST_CACHED_RUN:
            terms.extend(_expand_cached(run, grams))
        else:
            terms.extend(expand_run(run, grams))
    return terms


@lru_cache(maxsize=65_536)
def _expand_cached(run: str, grams: GramRule) -> tuple[str, ...]:
    return tuple(expand_run(run, grams))


def _keep_longest(terms: list[str]) -> list[str]:
    if len(terms) <= MAX_QUERY_TERMS:
        return terms
    kept = set(sorted(terms, key=len, reverse=True)[:MAX_QUERY_TERMS])
    return [term for term in terms if term in kept]
