"""The terms of a query, grouped by the words that they are forms of.

The language of a query is not guessed: that of a short one would often be guessed wrong. Its words are asked
for in the forms that they have in each language of the index, so that an exact word is always found. But each
is one word, and its forms count as one term: their frequencies are added up, and so are the numbers of
passages that hold them. Scored one by one, the form of a rare language would weigh most because it is rare.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from retrieval.words import Word


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTerms:
    """Each form that a query asks for, with the name of its word: the first of the word's forms."""

    words_by_form: Mapping[str, str]

    @classmethod
    def group(cls, words: Iterable[Word]) -> "QueryTerms":
        """Makes one word of those that share a form, in the order of their first forms."""
        name_of: dict[str, str] = {}
        for word in words:
            known = dict.fromkeys(name_of[form] for form in word if form in name_of)
            name = next(iter(known), word[0])
            if len(known) > 1:
                name_of = {form: name if old in known else old for form, old in name_of.items()}
            name_of |= dict.fromkeys(word, name)
        return cls(words_by_form=name_of)

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words, each by its name."""
        return tuple(dict.fromkeys(self.words_by_form.values()))

    @property
    def forms(self) -> tuple[str, ...]:
        """All terms that the index may hold the words under."""
        return tuple(self.words_by_form)

    def __bool__(self) -> bool:
        return bool(self.words_by_form)

    def name(self, terms: Iterable[str]) -> list[str]:
        """Returns `terms` with the word's name in place of each form of a word that the query asks for."""
        return [self.words_by_form.get(term, term) for term in terms]

    def add_up(self, frequencies: Iterable[tuple[str, int]]) -> dict[str, int]:
        """Returns by word how many passages or pages hold it, given how many hold each form."""
        total: dict[str, int] = {}
        for form, frequency in frequencies:
            word = self.words_by_form[form]
            total[word] = total.get(word, 0) + frequency
        return total
