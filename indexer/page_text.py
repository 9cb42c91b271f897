"""The text of which a page vector is made: title, headings and lead, as far as the model reads."""

from chunking import Page
from chunking.options import TokenCounter


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
