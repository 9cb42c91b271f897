"""What a link can point at inside a page: its headings and its blocks."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from chunking.headings import clean_heading, slugify
from chunking.model import BlockAnchor
from indexer.names import compose_name, fold_name

_ATTRIBUTES = re.compile(r"\s*\{:?\s*#([^\s{}]+)[^{}]*\}\s*\Z")
"""What site generators read as the anchor of a heading: `## Setup {#install}`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading of a page; `heading_path` ends in its own text, `line` is the 1-based line it begins at."""

    heading_path: tuple[str, ...]
    level: int
    anchor: str
    line: int


class PageOutline:
    """The headings and blocks of a page; of several that a link could mean alike, the first is found."""

    __slots__ = ("_blocks", "_by_anchor", "_by_letters", "_by_slug", "_by_text")

    def __init__(self, *, headings: Iterable[Heading] = (), blocks: Iterable[BlockAnchor] = ()) -> None:
        """Takes both in the order of the page."""
        self._by_anchor: dict[str, Heading] = {}
        self._by_text: dict[str, list[Heading]] = defaultdict(list)
        self._by_slug: dict[str, list[Heading]] = defaultdict(list)
        self._by_letters: dict[str, Heading] = {}
        for heading in headings:
            text, anchor = _split_attributes(heading.heading_path[-1])
            if anchor:
                self._by_anchor.setdefault(fold_name(anchor), heading)
            self._by_anchor.setdefault(fold_name(heading.anchor), heading)
            self._by_text[clean_heading(text)].append(heading)
            self._by_slug[slugify(text)].append(heading)
            self._by_letters.setdefault(_letters(text), heading)
        self._blocks: dict[str, BlockAnchor] = {}
        for block in blocks:
            self._blocks.setdefault(block.block_id.casefold(), block)

    def find_block(self, block_id: str) -> BlockAnchor | None:
        """Finds a block by its name, without regard to case."""
        return self._blocks.get(block_id.casefold())

    def find_heading(self, target: str, *, anchor_first: bool) -> Heading | None:
        """Finds a heading by its text, slug or anchor; "A#B" names the first B that lies below an A.

        Only anchors tell equal headings apart: `anchor_first` is for links whose syntax means anchors. Site
        generators make anchors by many rules, so at last such a link may agree in letters and digits alone.
        """
        anchored = self._by_anchor.get(fold_name(target))
        if anchored is not None and anchor_first:
            return anchored
        *ancestors, last = [part for part in target.split("#") if part.strip()] or [""]
        found = self._find_below([], target) or self._find_below(ancestors, last) or anchored
        return found or (self._by_letters.get(_letters(target)) if anchor_first else None)

    def _find_below(self, ancestors: list[str], target: str) -> Heading | None:
        text, slug = clean_heading(target), slugify(target)
        found = (self._by_text.get(text) if text else None) or (self._by_slug.get(slug) if slug else None)
        below = [heading for heading in found or () if _lies_below(heading, ancestors)]
        return min(below, key=lambda heading: _difference(heading, target), default=None)


def _split_attributes(written: str) -> tuple[str, str | None]:
    """Returns the text of a heading without its attributes, and the anchor that these give it."""
    match = _ATTRIBUTES.search(written)
    return (written[: match.start()], match[1]) if match else (written, None)


def _difference(heading: Heading, target: str) -> tuple[bool, bool]:
    """Orders headings that agree once they are cleaned up: "C" is a link to "C" rather than to "C#"."""
    text, _ = _split_attributes(heading.heading_path[-1])
    return compose_name(text) != compose_name(target), fold_name(text) != fold_name(target)


def _lies_below(heading: Heading, ancestors: list[str]) -> bool:
    """Tells whether the ancestors occur in the heading's path, in this order."""
    path = iter(heading.heading_path[:-1])
    return all(any(_is_same(text, ancestor) for text in path) for ancestor in ancestors)


def _is_same(written: str, target: str) -> bool:
    text, _ = _split_attributes(written)
    return clean_heading(text) == clean_heading(target) or slugify(text) == slugify(target)


def _letters(text: str) -> str:
    return "".join(character for character in fold_name(text) if character.isalnum())
