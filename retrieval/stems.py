"""Stems: the forms under which the index holds a word, by the language of the page and the word's script.

A language decides about words of the scripts it is written in. The words of other scripts, and all those of a
page whose language is not known, are stemmed as by the language that most often writes their script: English
names in a Russian page as English ones.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import regex
from snowballstemmer import (
    ArabicStemmer,
    ArmenianStemmer,
    BasqueStemmer,
    CatalanStemmer,
    CzechStemmer,
    DanishStemmer,
    DutchStemmer,
    EnglishStemmer,
    EsperantoStemmer,
    EstonianStemmer,
    FinnishStemmer,
    FrenchStemmer,
    GermanStemmer,
    GreekStemmer,
    HindiStemmer,
    HungarianStemmer,
    IndonesianStemmer,
    IrishStemmer,
    ItalianStemmer,
    LithuanianStemmer,
    NepaliStemmer,
    NorwegianStemmer,
    PersianStemmer,
    PolishStemmer,
    PortugueseStemmer,
    RomanianStemmer,
    RussianStemmer,
    SerbianStemmer,
    SesothoStemmer,
    SpanishStemmer,
    SwedishStemmer,
    TamilStemmer,
    TurkishStemmer,
    YiddishStemmer,
)

from retrieval.scripts import fold

# The classes, and not the library's `stemmer`: that takes one in C, of whatever version, where such a one
# happens to be installed, and index and query must agree.
_STEMMERS = {
    "ar": ArabicStemmer(),
    "ca": CatalanStemmer(),
    "cs": CzechStemmer(),
    "da": DanishStemmer(),
    "de": GermanStemmer(),
    "el": GreekStemmer(),
    "en": EnglishStemmer(),
    "eo": EsperantoStemmer(),
    "es": SpanishStemmer(),
    "et": EstonianStemmer(),
    "eu": BasqueStemmer(),
    "fa": PersianStemmer(),
    "fi": FinnishStemmer(),
    "fr": FrenchStemmer(),
    "ga": IrishStemmer(),
    "hi": HindiStemmer(),
    "hu": HungarianStemmer(),
    "hy": ArmenianStemmer(),
    "id": IndonesianStemmer(),
    "it": ItalianStemmer(),
    "lt": LithuanianStemmer(),
    "ne": NepaliStemmer(),
    "nl": DutchStemmer(),
    "no": NorwegianStemmer(),
    "pl": PolishStemmer(),
    "pt": PortugueseStemmer(),
    "ro": RomanianStemmer(),
    "ru": RussianStemmer(),
    "sr": SerbianStemmer(),
    "st": SesothoStemmer(),
    "sv": SwedishStemmer(),
    "ta": TamilStemmer(),
    "tr": TurkishStemmer(),
    "yi": YiddishStemmer(),
}
_stemming = threading.Lock()  # a stemmer keeps the word it works on in itself


@dataclass(frozen=True, slots=True)
class _Script:
    """`languages` are written in this script; `default` stems the words of pages in other ones."""

    word: "regex.Pattern[str]"
    default: str
    languages: frozenset[str]


def _script(name: str, default: str, languages: str) -> _Script:
    word = regex.compile(rf"(?V1)[[\p{{{name}}}&&\p{{L}}]\p{{M}}]++")
    return _Script(word, default, frozenset(languages.split()))


_SCRIPTS = (
    _script(
        "Latin",
        "en",
        "af az ca cs cy da de en eo es et eu fi fr ga gl hr hu id is it lt lv ms nl no pl pt ro sk sl sq sr "
        "st sv sw tl tr uz vi",
    ),
    _script("Cyrillic", "ru", "be bg kk mk mn ru sr uk"),
    _script("Greek", "el", "el"),
    _script("Arabic", "ar", "ar fa ps ur"),
    _script("Devanagari", "hi", "hi mr ne"),
    _script("Hebrew", "he", "he yi"),
    _script("Armenian", "hy", "hy"),
    _script("Tamil", "ta", "ta"),
)


# In no term of the text itself: no run of words holds it.
_MARK = "~"


@lru_cache(maxsize=65_536)
def stem_word(word: str, language: str) -> tuple[str, ...]:
    """Returns the forms that a word (in NFKC) has in a page of this language, folded.

    They are two where the stem depends on diacritics: that of the word as it is written, which is the better
    one, and that of the word as it is often typed, without them. A form in another language than the default
    one of its script names it (`haus~de`), so that it is not taken for a form of some other word.
    """
    bare = fold(word)
    script = _find_script(bare)
    if script is None:
        return (bare,)
    stemmed_as = language if language in script.languages else script.default
    mark = "" if stemmed_as == script.default else f"{_MARK}{stemmed_as}"
    stems = _stem({word.casefold(): None, bare: None}, stemmed_as)
    return tuple(dict.fromkeys((fold(stem) or bare) + mark for stem in stems))


def unmark(form: str) -> str:
    """Returns a form without the language that it names."""
    return form.partition(_MARK)[0]


def _find_script(word: str) -> _Script | None:
    """Returns the script of a folded word, None where nothing of it is stemmed, as with digits in it."""
    return next((script for script in _SCRIPTS if script.word.fullmatch(word)), None)


def _stem(spellings: Iterable[str], language: str) -> list[str]:
    stemmer = _STEMMERS.get(language)
    if stemmer is None:
        return list(spellings)
    with _stemming:
        return [stemmer.stemWord(spelling) for spelling in spellings]
