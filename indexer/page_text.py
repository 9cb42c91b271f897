"""The text of which a page vector is made: how the page and its sections are called, and how they begin."""

import re
from collections.abc import Sequence

from chunking import Chunk, Page
from chunking.options import TokenCounter
from retrieval.embedding.port import EmbeddingRole

_LINE_END = re.compile(r"\r\n?|\n")
# A sentence or two.
_OPENING_CHARS = 200


def choose_page_text(page: Page, counter: TokenCounter) -> tuple[EmbeddingRole, str]:
    """Returns what the vector of a page is made of, and as what it is embedded.

    A page says what its only chunk says, so one vector serves both.
    """
    if len(page.chunks) == 1:
        return "chunk", page.chunks[0].embedded_text
    return "page", write_page_text(page, counter)


def write_page_text(page: Page, counter: TokenCounter) -> str:
    """Returns the text that stands for a whole page, within the counter's window; "" for a page without text.

    It is title, headings, openings of sections and lead, as far as there is room, chosen by measurement
    (`docs/decisions/0025`). No chunk vectors are needed, so page vectors can be there first.
    """
    if not page.chunks:
        return ""
    headings = (path[-1] for section in page.sections if (path := section.heading_path))
    names = dict.fromkeys((page.title, *headings))
    firsts = _find_first_chunks(page)
    openings = [_read_opening(chunk) for chunk in firsts] if len(firsts) > 1 else []
    lead = _LINE_END.split(firsts[0].text) if firsts else []
    lines = [line.replace("\0", " ").strip() for line in (*names, *openings, *lead)]
    return "\n".join(_fit([line for line in lines if line], counter)) or page.title[:64]


def _find_first_chunks(page: Page) -> list[Chunk]:
    """Returns the first chunk of each section that has text."""
    firsts: dict[int, Chunk] = {}
    for chunk in page.chunks:
        if not chunk.heading_only:
            firsts.setdefault(chunk.section, chunk)
    return list(firsts.values())


def _read_opening(chunk: Chunk) -> str:
    """Returns how a chunk begins, without its heading, in one line."""
    lines = _LINE_END.split(chunk.text.lstrip())
    body = lines[1:] if chunk.heading_path and lines[0].startswith("#") else lines
    return " ".join(" ".join(body)[: 2 * _OPENING_CHARS].split())[:_OPENING_CHARS]


def _fit(lines: Sequence[str], counter: TokenCounter) -> list[str]:
    """Returns the first lines, as many as the counter's window holds."""
    kept: list[str] = []
    room = counter.window
    for line, tokens in zip(lines, counter.count(lines), strict=True):
        # Each count holds the special tokens too, so the sum is an upper bound.
        room -= tokens
        if room < 0:
            break
        kept.append(line)
    return kept
