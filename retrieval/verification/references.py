"""References to pages inside a text, in every form in which this project and its users write them.

ops/deploy.md   ops/deploy.md:40-58   ops/deploy.md#rollback   ops/deploy.md#L40-L58
[[deploy]]   [[ops/deploy#Rollback|how]]   [how](ops/deploy.md#rollback)   /v1/pages/ops/deploy.md#rollback
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from chunking.model import Dialect
from chunking.targets import read_wikilink
from retrieval.verification.model import Reference

_PAGE_ROUTE = "/v1/pages/"
_MAX_MEANT = 5
"""Pages that one reference may mean."""

_PART = (
    r"(?::(?P<first>\d{1,9})(?:[-–](?P<last>\d{1,9}))?"
    r"|#L(?P<from>\d{1,9})(?:-L?(?P<to>\d{1,9}))?"
    r"|#(?P<heading>[^\s\[\]()<>\"'`]+))?"
)
_ENDING = re.compile(rf"\.(?:md|markdown)(?![\w/]){_PART}", re.IGNORECASE)
_WIKILINK = re.compile(r"\[\[([^\[\]\r\n]{1,500})\]\]")
_LINK = re.compile(r"\]\(\s*(?:<([^<>\r\n]{1,2000})>|([^\s()<>]{1,2000}))")
_NO_NAME = re.compile(r"[\s\[\]()<>\"'`*|“”„«»「」『』:]")
_MAX_PATH = 500
_SHORT_WORD = 32


@dataclass(frozen=True, slots=True)
class Mention:
    """A reference and the characters of the text that it takes."""

    start: int
    end: int
    reference: Reference


class PageNames:
    """The pages of a wiki by path, and by the ends of paths that texts write for short."""

    def __init__(self, paths: Sequence[str] = ()) -> None:
        self._paths = frozenset(paths)
        self._by_last_word: dict[str, list[str]] = {}
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(paths):
            self._by_last_word.setdefault(path.rsplit(maxsplit=1)[-1], []).append(path)
            self._by_name.setdefault(_name(path), []).append(path)

    def read_back(self, text: str, word_start: int, end: int) -> int:
        """Returns where the path begins whose last word is `text[word_start:end]`: names may hold blanks."""
        known = self._by_last_word.get(text[word_start:end], ())
        fitting = (path for path in known if text.endswith(path, 0, end))
        return end - max((len(path) for path in fitting), default=end - word_start)

    def resolve(self, target: str) -> tuple[str, ...]:
        """Returns the pages that a target may mean; what is no known page is taken as it is written."""
        written = target.partition(_PAGE_ROUTE)[2] if _PAGE_ROUTE in target else target
        for path in (written, unquote(written)):
            path = path.partition("?")[0].removeprefix("./").lstrip("/")
            if path in self._paths:
                return (path,)
            known = self._by_name.get(_name(path), ())
            # Of an address, the path is the end.
            meant = [page for page in known if _ends_in(page, path) or f"/{path}".endswith(f"/{page}")]
            if meant:
                return tuple(meant[:_MAX_MEANT])
        return (unquote(written).removeprefix("./"),)


def find_mentions(text: str, names: PageNames, dialect: Dialect) -> tuple[Mention, ...]:
    """Returns the references in a text, in its order; none overlaps another."""
    found = [*_find_wikilinks(text, dialect), *_find_links(text), *_find_paths(text, names)]
    # Of two that overlap the first is the outer one: a path stands inside a link.
    found.sort(key=lambda mention: (mention.start, -mention.end))
    kept: list[Mention] = []
    for mention in found:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return tuple(kept)


def _find_wikilinks(text: str, dialect: Dialect) -> Iterator[Mention]:
    for match in _WIKILINK.finditer(text):
        target, _ = read_wikilink(match[1], dialect)
        page, _, heading = target.partition("#")
        if page.strip():
            reference = Reference(target=page.strip(), heading=heading.strip() or None)
            yield Mention(match.start(), match.end(), reference)


def _find_links(text: str) -> Iterator[Mention]:
    for match in _LINK.finditer(text):
        url = match[1] or match[2]
        page = _ENDING.search(url)
        if page is not None:
            reference = _refer(url[: page.start() + len(page[0]) - _part_length(page)], page)
            yield Mention(match.start(), match.end(), reference)


def _find_paths(text: str, names: PageNames) -> Iterator[Mention]:
    for match in _ENDING.finditer(text):
        end = match.end() - _part_length(match)
        start = _word_start(text, match.start())
        if start < match.start():
            start = names.read_back(text, start, end)
            yield Mention(start, match.end(), _refer(text[start:end], match))


def _refer(target: str, match: re.Match[str]) -> Reference:
    first, last = match["first"] or match["from"], match["last"] or match["to"]
    heading = match["heading"]
    return Reference(
        target=target,
        heading=unquote(heading.rstrip(".,;:!?")) if heading else None,
        line_start=int(first) if first else None,
        line_end=int(last or first) if first else None,
    )


def _part_length(match: re.Match[str]) -> int:
    """Returns how much of an ending is the part behind the page."""
    place = max(match[0].rfind(":"), match[0].find("#"))
    return len(match[0]) - place if place >= 0 else 0


def _word_start(text: str, end: int) -> int:
    # Nearly every word is short: a text full of borders is not searched over and over.
    for reach in (_SHORT_WORD, _MAX_PATH):
        window = text[max(0, end - reach) : end]
        borders = [match.end() for match in _NO_NAME.finditer(window)]
        if borders:
            return end - len(window) + borders[-1]
    return end - len(window)


def _name(path: str) -> str:
    """Returns what a page is called in links: its file name without ending and case."""
    name = path.rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    return (stem if ending.lower() in ("md", "markdown") else name).casefold()


def _ends_in(known: str, path: str) -> bool:
    """Says whether a path may be written for a known one: as its end, with or without the ending."""
    return any(
        f"/{whole.casefold()}".endswith(f"/{path.casefold()}") for whole in (known, known.rpartition(".")[0])
    )
