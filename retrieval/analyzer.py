"""The analyzer: from text to the terms of the lexical lane, by one set of rules for pages and queries.

    text ── normalise ──> runs ── expand ──> words ──> terms

The words of a page are stemmed by its language. A query has each word once, in the forms that it has in each
language of the index, and asks for pairs of unspaced letters where the index holds single letters too. So
each word of any stretch of words of a text is, in one of its forms, among the text's own terms.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from retrieval.language import UNDETERMINED
from retrieval.query_terms import QueryTerms
from retrieval.scripts import normalise
from retrieval.stopwords import STOP_WORDS
from retrieval.words import Rules, Word, expand_run, find_runs, index_grams, query_grams

ANALYZER_VERSION = 4
"""Raised whenever the same text would give other terms: the lexical side is then built anew."""

MAX_QUERY_TERMS = 512
"""Terms of a query that are searched for. Of more the longest words are kept, for rare words are long."""

TITLE_WEIGHT = 2
HEADING_WEIGHT = 2
"""How often title and heading words count for each time they are written; a word of the body counts once."""

_LONGEST_CACHED_RUN = 64


def analyze(text: str, language: str = UNDETERMINED) -> list[str]:
    """Returns the terms of `text` for the index, with repetitions, in the order of the text.

    No term is empty, holds white space or is longer than `words.LONGEST_TERM` characters.
    """
    rules = Rules((language,), index_grams)
    return [term for word in _collect_words(text, rules) for term in word]


def analyze_query(text: str, languages: Iterable[str] = (UNDETERMINED,)) -> QueryTerms:
    """Returns what a query asks for, at most `MAX_QUERY_TERMS` terms, in the order of the text.

    `languages` are those of the pages, if there are any. Stop words are left out unless nothing else remains.
    """
    known = tuple(sorted(set(languages))) or (UNDETERMINED,)
    words = _collect_words(text, Rules(known, query_grams, STOP_WORDS))
    return QueryTerms.group(_keep_longest(words or _collect_words(text, Rules(known, query_grams))))


def chunk_terms(
    *,
    title: str,
    heading_path: Sequence[str],
    file_name: str,
    body: str,
    table_header: str | None,
    language: str = UNDETERMINED,
) -> list[str]:
    """Returns the terms of a chunk: title and headings weigh more than the body, by repetition.

    `file_name` counts once, without its extension; `table_header` is the header of a table that began in an
    earlier chunk. One list serves the full-text index, document frequencies and BM25 alike.
    """
    terms = analyze(title, language) * TITLE_WEIGHT
    for heading in heading_path:
        terms += analyze(heading, language) * HEADING_WEIGHT
    terms += analyze(PurePosixPath(file_name).stem, language)
    terms += analyze(table_header or "", language)
    terms += analyze(body, language)
    return terms


def _collect_words(text: str, rules: Rules) -> list[Word]:
    words: list[Word] = []
    for run in find_runs(normalise(text)):
        if len(run) <= _LONGEST_CACHED_RUN:
            words.extend(_expand_cached(run, rules))
        else:
            words.extend(expand_run(run, rules))
    return words


@lru_cache(maxsize=65_536)
def _expand_cached(run: str, rules: Rules) -> tuple[Word, ...]:
    return tuple(expand_run(run, rules))


def _keep_longest(words: Sequence[Word]) -> list[Word]:
    distinct = list(dict.fromkeys(words))
    left = MAX_QUERY_TERMS
    kept: set[Word] = set()
    for word in sorted(distinct, key=lambda word: len(word[0]), reverse=True):
        left -= len(word)
        if left < 0:
            break
        kept.add(word)
    return [word for word in distinct if word in kept]
