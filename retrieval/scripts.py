"""Characters: what counts as text, which scripts write no spaces, and what is equal to what.

Sources: Unicode Standard Annex 15 (NFKC), 24 (scripts), 29 (grapheme clusters), 51 (emoji).
"""

import unicodedata

import regex

UNSPACED = (
    r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー〆]"
    r"&&[\p{L}\p{M}\p{N}]]"
)
"""Letters, marks and digits of scripts that put no spaces between words, and of Korean, which hides words
behind particles and compounds. A character class of `regex`, version 1."""

WORD_START = rf"[[\p{{L}}\p{{N}}]--{UNSPACED}]"
WORD_PART = rf"[[\p{{L}}\p{{N}}\p{{M}}]--{UNSPACED}]"
PICTOGRAPH = r"[\p{Extended_Pictographic}&&\p{So}]|\p{Regional_Indicator}{2}"

LONGEST_GRAPHEME = 64
"""Code points kept of a grapheme cluster, so that a bigram fits a term."""

# The zero-width space is left in: Thai and Khmer texts mark word borders with it.
# The Arabic tatweel only stretches a word.
_INVISIBLE = regex.compile(r"(?V1)[[\p{Default_Ignorable_Code_Point}\u0640]--\u200b]+")
_FOREIGN_DIGIT = regex.compile(r"(?V1)[\p{Nd}--[0-9]]")
# Dashes that word processors put for a hyphen, as NFKC leaves them.
_DASHES = str.maketrans(dict.fromkeys("\N{HYPHEN}\N{FIGURE DASH}\N{EN DASH}\N{MINUS SIGN}", "-"))
# Marks that are left out in writing, or typing, without making another word.
_ACCENT = regex.compile(r"(?V1)([\p{Latin}\p{Greek}\p{Hebrew}\p{Arabic}])\p{Mn}+")
_NOT_LATIN = regex.compile(r"(?V1)[\p{L}--\p{Latin}]")
_LETTER = regex.compile(r"\p{L}")
_GRAPHEME = regex.compile(r"\X")
# What follows an apostrophe as a single letter, or stands before one as the article of another word.
_CLITIC = regex.compile(r"(?<=\w)'\p{L}\b|\b\p{L}'(?=\p{L}{2})")
_STROKES = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
)
# Letters of Persian that Arabic keyboards lack; a dot and a sign of nasal vowels that Hindi often leaves out.
_SPELLINGS = str.maketrans({"ک": "ك", "ی": "ي", "\u093c": None, "\u0901": "\u0902"})


def normalise(text: str) -> str:
    """Returns `text` in NFKC, with decimal digits as 0 to 9, without invisible characters and without single
    letters at apostrophes.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
        for apostrophe in "’‘ʼ":
            text = text.replace(apostrophe, "'")
        text = _FOREIGN_DIGIT.sub(_read_digit, text.translate(_DASHES))
    return _CLITIC.sub(" ", text) if "'" in text else text


def fold(word: str) -> str:
    """Returns `word` (in NFKC) in one spelling: without case, nor what is often left out in its script."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    bare = _ACCENT.sub(r"\1", unicodedata.normalize("NFKD", folded)).translate(_STROKES)
    return unicodedata.normalize("NFKC", bare.translate(_SPELLINGS)).replace("ё", "е")


def is_mostly_latin(text: str) -> bool:
    """Says whether at most half of the letters of `text` are of another script than Latin."""
    return 2 * len(_NOT_LATIN.findall(text)) <= len(_LETTER.findall(text))


def split_graphemes(run: str) -> list[str]:
    """Returns the user-perceived characters of `run`, each cut to `LONGEST_GRAPHEME` code points."""
    return [grapheme[:LONGEST_GRAPHEME] for grapheme in _GRAPHEME.findall(run)]


def _read_digit(match: "regex.Match[str]") -> str:
    return str(unicodedata.digit(match[0], match[0]))
