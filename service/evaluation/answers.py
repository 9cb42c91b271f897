"""Whether the evidence of a pack holds the answer to its query."""

import unicodedata
from collections.abc import Iterator, Sequence

import regex

from retrieval.pack import Evidence
from retrieval.scripts import WORD_PART
from service.evaluation.dataset import Answer, Source

_WIKILINK = regex.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_BLANKS = regex.compile(r"\s+")
_WORD = regex.compile(WORD_PART, flags=regex.VERSION1)

# These answer a question and stand in any text: only the passage they were drawn from counts.
_UNQUOTABLE = frozenset({"yes", "no"})


def holds_answer(evidence: Sequence[Evidence], answer: Answer) -> bool:
    """Tells whether any passage has one of the answers in it, or text of a passage it was taken from.

    Texts are compared in NFKC, without case, links shown as their text and runs of blanks as one. An answer
    has to stand as words where its script has words: "7" is not in "1973".
    """
    answers = [text for text in map(normalise, answer.texts) if text and text not in _UNQUOTABLE]
    return any(
        any(_quotes(normalise(passage.text), text) for text in answers)
        or any(_overlaps(passage, source) for source in answer.sources)
        for passage in evidence
    )


def holds_sources(evidence: Sequence[Evidence], answer: Answer) -> bool:
    """Tells whether every page that the answer was taken from has a passage with text of its source there."""
    pages = {source.page for source in answer.sources}
    held = {
        source.page for source in answer.sources if any(_overlaps(passage, source) for passage in evidence)
    }
    return held == pages


def normalise(text: str) -> str:
    """Returns `text` as it is compared."""
    shown = _WIKILINK.sub(r"\1", text)
    return _BLANKS.sub(" ", unicodedata.normalize("NFKC", shown).casefold()).strip()


def _quotes(text: str, answer: str) -> bool:
    return any(
        not _splits_word(text, place) and not _splits_word(text, place + len(answer))
        for place in _find_all(text, answer)
    )


def _find_all(text: str, part: str) -> Iterator[int]:
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


def _splits_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and bool(_WORD.match(text[place - 1]) and _WORD.match(text[place]))


def _overlaps(passage: Evidence, source: Source) -> bool:
    """Tells whether a line of the passage, headings aside, is in the source or holds all of it."""
    pages = {passage.citation.path, *(place.path for place in passage.also_at)}
    if source.page not in pages:
        return False
    wanted = normalise(source.text)
    lines = (normalise(line) for line in passage.text.split("\n") if not line.startswith("#"))
    return any(line in wanted or wanted in line for line in lines if line)
