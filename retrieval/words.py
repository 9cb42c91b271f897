"""The terms of one run of text: of a word, of an identifier with its parts, of letters written unspaced.

A *run* is what no space or breaking sign interrupts: `deploying`, `DEC-0054`, `foo::bar`, `C++`, `.NET`,
`ops/deploy.md`, `接口`, an emoji. Letters and digits are never split from each other: `zorb51a` is one term.
"""

import re
import threading
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise

import regex
import snowballstemmer

from retrieval.scripts import PICTOGRAPH, UNSPACED, WORD_PART, WORD_START, fold, split_graphemes

LONGEST_TERM = 128
"""Characters of a term at most. A longer word is cut here before it is stemmed; a longer identifier is left
out as a whole and keeps its parts."""

GramRule = Callable[[str], list[str]]
"""Gives the terms of a run of unspaced letters."""

_CORE = rf"{WORD_START}{WORD_PART}*+"
# A dot before a name (.NET), signs that join two words, and ++ or # behind a name (C++, C#).
_IDENTIFIER = rf"(?:(?<![\w.])\.)?{_CORE}(?:[-_.:/\\@+#&]{{1,3}}{_CORE})*+(?:\+\+|\#)?"
_RUN = regex.compile(rf"(?V1){UNSPACED}[{UNSPACED}\p{{M}}]*+|{_IDENTIFIER}|{PICTOGRAPH}")
_UNSPACED_START = regex.compile(rf"(?V1){UNSPACED}")
_WORD = regex.compile(rf"(?V1){_CORE}")

_BORDERS = (
    # Between the steps of a path, an address or a qualified name.
    regex.compile(r"(?V1)[/\\:@&]+|\#(?=\w)"),
    # Between the words of a name; `++` stays with what is before it.
    regex.compile(r"(?V1)(?<=\w)[-_.]+|(?<!\+)\+(?!\+)|(?<=\+\+)(?=\w)|_+"),
    # Between the words of a camelCase name; the plural of an acronym (`URLs`) is one word.
    regex.compile(r"(?V1)(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}(?!s(?!\p{L}))\p{Ll})"),
)

_NAMED = regex.compile(r"(?V1)\p{L}.*\p{Nd}|\p{Nd}.*\p{L}|\w[_:/\\@.#+]|^\.\w")

# A commit or checksum, which is often quoted by its first seven digits.
_HASH = re.compile(r"(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{8,64}")
_HASH_PREFIX = 7

_stemmer = snowballstemmer.EnglishStemmer()
_stemming = threading.Lock()


def find_runs(text: str) -> list[str]:
    """Returns the runs of normalised `text` in order."""
    found: list[str] = _RUN.findall(text)
    return found


def expand_run(run: str, grams: GramRule) -> Iterator[str]:
    """Yields the terms of one run: grams where it is unspaced, else the whole and its parts."""
    return iter(grams(run)) if _UNSPACED_START.match(run) else _expand_identifier(run)


def make_term(word: str) -> str:
    """Returns the term of a plain word: folded, cut, and stemmed where it is purely Latin letters."""
    folded = fold(word)[:LONGEST_TERM]
    return _stem(folded) if folded.isascii() and folded.isalpha() else folded


def index_grams(run: str) -> list[str]:
    """Returns the characters and the pairs of neighbouring characters of `run`."""
    graphemes = split_graphemes(run)
    return [*graphemes, *_pairs(graphemes)]


def query_grams(run: str) -> list[str]:
    """Returns the pairs of `run`, or its only character: single characters of a longer run match too much."""
    graphemes = split_graphemes(run)
    return graphemes if len(graphemes) == 1 else _pairs(graphemes)


def is_identifier(term: str) -> bool:
    """Says whether a term is a name made for machines: letters with digits, or parts joined by signs."""
    return _NAMED.search(term) is not None


@lru_cache(maxsize=32_768)
def _stem(word: str) -> str:
    with _stemming:  # a Snowball stemmer keeps the word it works on in itself
        stem: str = _stemmer.stemWord(word)
    return stem


def _pairs(graphemes: list[str]) -> list[str]:
    return [left + right for left, right in pairwise(graphemes)]


def _expand_identifier(run: str) -> Iterator[str]:
    if _WORD.fullmatch(run):
        yield make_term(run)
        if _HASH.fullmatch(whole := fold(run)):
            yield whole[:_HASH_PREFIX]
    elif len(whole := fold(run)) <= LONGEST_TERM:
        yield whole
    for part in _split_identifier(run):
        yield from _expand_identifier(part)


def _split_identifier(run: str) -> list[str]:
    """Returns the parts of `run` at its highest border; each is split again at the next lower one."""
    for border in _BORDERS:
        pieces = border.split(run)
        if len(pieces) > 1:
            return [part for piece in pieces for part in find_runs(piece)]
    bare = run.strip(".+#")
    # The letter of `C++` alone would match every page about C.
    return [bare] if bare != run and len(bare) > 1 else []
