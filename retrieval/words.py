"""The terms of one run of text: of a word, of an identifier with its parts, of letters written unspaced.

A *run* is what no space or breaking sign interrupts: `deploying`, `DEC-0054`, `foo::bar`, `C++`, `.NET`,
`ops/deploy.md`, `接口`, an emoji. Letters and digits are never split from each other: `zorb51a` is one term.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import regex

from retrieval.scripts import PICTOGRAPH, UNSPACED, WORD_PART, WORD_START, fold, split_graphemes
from retrieval.stems import stem_word

LONGEST_TERM = 128
"""Characters of a term at most. A longer word is cut here before it is stemmed; a longer identifier is left
out as a whole and keeps its parts."""

GramRule = Callable[[str], list[str]]
"""Gives the terms of a run of unspaced letters."""

Word = tuple[str, ...]
"""The forms of one word, each of them a term: its stems under some languages. What is not stemmed has one."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the terms of a run depend on: the languages it may be in, and the words that are left out."""

    languages: tuple[str, ...]
    grams: GramRule
    left_out: frozenset[str] = frozenset()


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


def find_runs(text: str) -> list[str]:
    """Returns the runs of normalised `text` in order."""
    found: list[str] = _RUN.findall(text)
    return found


def expand_run(run: str, rules: Rules) -> Iterator[Word]:
    """Yields what one run says: grams where it is unspaced, else the whole and its parts."""
    if _UNSPACED_START.match(run):
        return ((gram,) for gram in rules.grams(run))
    return _expand_identifier(run, rules)


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


def _pairs(graphemes: list[str]) -> list[str]:
    return [left + right for left, right in pairwise(graphemes)]


def _expand_identifier(run: str, rules: Rules) -> Iterator[Word]:
    whole = fold(run)
    if _WORD.fullmatch(run):
        if whole not in rules.left_out:
            yield _make_word(run, rules.languages)
        if _HASH.fullmatch(whole):
            yield (whole[:_HASH_PREFIX],)
    elif len(whole) <= LONGEST_TERM:
        yield (whole,)
    for part in _split_identifier(run):
        yield from _expand_identifier(part, rules)


def _make_word(run: str, languages: tuple[str, ...]) -> Word:
    cut = run.casefold()[:LONGEST_TERM]
    forms = (form[:LONGEST_TERM] for language in languages for form in stem_word(cut, language))
    return tuple(dict.fromkeys(forms))


def _split_identifier(run: str) -> list[str]:
    """Returns the parts of `run` at its highest border; each is split again at the next lower one."""
    for border in _BORDERS:
        pieces = border.split(run)
        if len(pieces) > 1:
            return [part for piece in pieces for part in find_runs(piece)]
    bare = run.strip(".+#")
    # The letter of `C++` alone would match every page about C.
    return [bare] if bare != run and len(bare) > 1 else []
