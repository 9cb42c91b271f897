"""An excerpt: the verbatim text of a passage, whole or cut to a budget, with the lines it touches."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

import regex

from chunking.model import Span
from chunking.options import TokenCounter
from retrieval.passages import Passage

_LINE_BREAK = regex.compile(r"\r\n|\r|\n")
_UNITS = (regex.compile(r"[^\r\n]+"), regex.compile(r"\S+"), regex.compile(r"\X"))
"""What a text is cut behind, best first: lines, words, characters as a reader sees them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """`text` is the page's text at `span`, which begins where the passage begins."""

    passage: Passage
    text: str
    span: Span

    @property
    def is_cut(self) -> bool:
        """Whether it is only the beginning of the passage."""
        return self.span.char_end < self.passage.chunks[-1].span.char_end


def quote_passage(passage: Passage, page_texts: Mapping[str, str]) -> Excerpt:
    """Returns the whole of `passage`; a joined one needs the text of its page, by `page_id`."""
    first, last = passage.chunks[0], passage.chunks[-1]
    span = Span(
        char_start=first.span.char_start,
        char_end=last.span.char_end,
        line_start=first.span.line_start,
        line_end=last.span.line_end,
    )
    text = first.text
    if passage.joined:
        text = page_texts[first.page_id][span.char_start : span.char_end]
    return Excerpt(passage=passage, text=text, span=span)


def cut_excerpt(excerpt: Excerpt, max_tokens: int, counter: TokenCounter) -> Excerpt:
    """Returns the longest beginning of `excerpt` within `max_tokens`; see `cut_text`."""
    text = cut_text(excerpt.text, max_tokens, counter)
    span = Span(
        char_start=excerpt.span.char_start,
        char_end=excerpt.span.char_start + len(text),
        line_start=excerpt.span.line_start,
        line_end=excerpt.span.line_start + len(_LINE_BREAK.findall(text)),
    )
    return Excerpt(passage=excerpt.passage, text=text, span=span)


def cut_text(text: str, max_tokens: int, counter: TokenCounter) -> str:
    """Returns the longest beginning of `text` within `max_tokens` that ends with a line, else a word.

    Where not even a word fits it ends within the word, and is never empty.
    """
    end = 0
    for unit in _UNITS:
        borders = [match.end() for match in unit.finditer(text)]
        fitting = bisect_right(borders, max_tokens, key=lambda end: counter.count([text[:end]])[0])
        end = borders[max(fitting, 1) - 1]
        if fitting:
            break
    return text[:end]
