"""How much of one text is in another, by the words that they share."""

from collections import Counter
from dataclasses import dataclass

import regex

from retrieval.scripts import UNSPACED

_WORD = regex.compile(rf"(?V1){UNSPACED}|\w+?(?={UNSPACED}|\b)|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """The share of the earlier text that is in the later one, and of the later that is from the earlier.

    Words weigh as much as they have characters; their order does not count.
    """

    kept: float
    own: float


def compare_texts(earlier: str, later: str) -> Likeness:
    """Compares two texts in linear time; a text without words is neither kept nor own."""
    before, after = count_words(earlier), count_words(later)
    common = weigh_words(before & after)
    return Likeness(
        kept=common / max(weigh_words(before), 1),
        own=common / max(weigh_words(after), 1),
    )


def count_words(text: str) -> Counter[str]:
    """Returns how often each word stands in a text; letters of unspaced scripts and signs are words."""
    return Counter(_WORD.findall(text))


def weigh_words(words: Counter[str]) -> int:
    """Returns the characters of all words together."""
    return sum(len(word) * count for word, count in words.items())
