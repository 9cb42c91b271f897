"""The catalogue that a language model chooses from: a bounded shortlist of pages with their summaries."""

from collections.abc import Iterator, Sequence

from chunking.model import Section
from retrieval.llm.line import flatten
from retrieval.llm.port import PageCard
from retrieval.outline import decode_outline
from retrieval.predicates import in_predicate
from retrieval.store import Snapshot

MAX_PAGES = 40
"""Pages of a catalogue: with their summaries about 3,000 tokens of English, which small models still read."""

SUMMARY_CHARS = 240

_HEADINGS_CHARS = 120
_COLUMNS = ("page_id", "path", "title", "text", "outline")


async def make_catalogue(snapshot: Snapshot, page_ids: Sequence[str]) -> tuple[PageCard, ...]:
    """Returns the cards of the first `MAX_PAGES` different ids in their order, without those of no page.

    Raises:
        SnapshotLost: A cleanup removed the generation meanwhile.
    """
    wanted = list(dict.fromkeys(page_ids))[:MAX_PAGES]
    rows = (await snapshot.rows("pages", columns=_COLUMNS, where=in_predicate("page_id", wanted))).to_pylist()
    cards = {
        row["page_id"]: PageCard(
            page_id=row["page_id"],
            path=row["path"],
            title=row["title"],
            summary=summarise(row["title"], row["text"], decode_outline(row["outline"]).sections),
        )
        for row in rows
    }
    return tuple(cards[page_id] for page_id in wanted if page_id in cards)


def summarise(title: str, text: str, sections: Sequence[Section]) -> str:
    """Returns one line of at most `SUMMARY_CHARS` characters: the headings of a page and its first words."""
    headings = flatten("; ".join(_list_headings(title, sections)), _HEADINGS_CHARS)
    lead = next(filter(None, (_read_body(text, section) for section in sections)), "")
    return flatten(". ".join(filter(None, (headings, lead))), SUMMARY_CHARS)


def _list_headings(title: str, sections: Sequence[Section]) -> Iterator[str]:
    """Yields each heading once, as many as can be shown; one that repeats the title tells nothing."""
    seen, length = {title, ""}, 0
    for section in sections:
        heading = section.heading_path[-1] if section.heading_path else ""
        if heading not in seen and length <= _HEADINGS_CHARS:
            seen.add(heading)
            length += len(heading)
            yield heading


def _read_body(text: str, section: Section) -> str:
    """Returns the first words below the heading of a section, "" if there are none."""
    heading = flatten(section.heading_path[-1], SUMMARY_CHARS) if section.heading_path else ""
    start = section.span.char_start
    # Room for the heading as it is written, before as many words as a summary holds.
    words = flatten(text[start : min(section.span.char_end, start + 3 * SUMMARY_CHARS)], 2 * SUMMARY_CHARS)
    return words.lstrip("# ").removeprefix(heading).lstrip("#=- ")
