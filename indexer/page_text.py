"""The text of which a page vector is made: title, headings and lead, as far as the model reads."""

from chunking import Page
from chunking.options import TokenCounter
from retrieval.embedding.port import EmbeddingRole


def choose_page_text(page: Page, counter: TokenCounter) -> tuple[EmbeddingRole, str]:
    """Returns what the vector of a page is made of, and as what it is embedded.

    A page says what its only chunk says, so one vector serves both.
    """
    if len(page.chunks) == 1:
        return "chunk", page.chunks[0].embedded_text
    return "page", write_page_text(page, counter)


def write_page_text(page: Page, counter: TokenCounter) -> str:
    """Returns the text that stands for a whole page, within the counter's window; "" for a page without text.

    It needs no chunk vectors, so that page vectors can be there first.
    """
    if not page.chunks:
        return ""
    headings = dict.fromkeys(path[-1] for section in page.sections if (path := section.heading_path))
    lead = next((chunk.text for chunk in page.chunks if not chunk.heading_only), "")
    lines = [page.title, *headings, *lead.replace("\0", " ").split("\n")]
    lines = [line.strip() for line in lines if line.strip()]
    kept: list[str] = []
    room = counter.window
    for line, tokens in zip(lines, counter.count(lines), strict=True):
        # Each count holds the special tokens too, so the sum is an upper bound.
        room -= tokens
        if room < 0:
            break
        kept.append(line)
    return "\n".join(kept) or page.title[:64]
