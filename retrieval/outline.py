"""The outline of a page as the index keeps it: its sections and the blocks that links can name."""

import json
from dataclasses import dataclass

from chunking.model import BlockAnchor, Section, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The sections and block anchors of a page, each in the order of the page."""

    sections: tuple[Section, ...]
    blocks: tuple[BlockAnchor, ...]


def encode_outline(outline: Outline) -> str:
    """Returns the JSON text that the table of pages holds."""
    sections = [
        [section.heading_path, section.level, section.anchor, _encode_span(section.span)]
        for section in outline.sections
    ]
    blocks = [[block.block_id, block.line] for block in outline.blocks]
    return json.dumps([sections, blocks], ensure_ascii=False, separators=(",", ":"))


def decode_outline(text: str) -> Outline:
    """Reads what `encode_outline` wrote."""
    sections, blocks = json.loads(text)
    return Outline(
        sections=tuple(
            Section(heading_path=tuple(path), level=level, anchor=anchor, span=_decode_span(span))
            for path, level, anchor, span in sections
        ),
        blocks=tuple(BlockAnchor(block_id=block_id, line=line) for block_id, line in blocks),
    )


def _encode_span(span: Span) -> list[int]:
    return [span.char_start, span.char_end, span.line_start, span.line_end]


def _decode_span(values: list[int]) -> Span:
    char_start, char_end, line_start, line_end = values
    return Span(char_start=char_start, char_end=char_end, line_start=line_start, line_end=line_end)
