"""Labels that a wiki holds itself: words by which its writers name a page or a section elsewhere.

    link      the text of a link, where it is not what the target calls itself
    alias     another name of a page, from its frontmatter
    heading   a heading, which its section must be found by without

Searching for such words must not be trivial. So no label consists of words that the target is called by, the
pages that hold a link are left out of the search for its text, and a heading is hidden from its page.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from retrieval.analyzer import analyze_query
from retrieval.outline import decode_outline
from retrieval.store import Snapshot
from retrieval.tuning import LabelKind

MOST_TARGETS = 3
"""A text that leads to more pages than this ("read more") asks for none of them."""

_LEAST_WORDS = 2
_LONGEST = 200
_LINK_KINDS = ("wikilink", "markdown")
_LINK_COLUMNS = ("path", "kind", "position", "alias", "target_path", "target_heading_path")
_PAGE_COLUMNS = ("path", "title", "aliases", "outline")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A section of a page, with the sections below it; without a heading path the whole page."""

    path: str
    heading_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A query, and the places that answer it.

    The pages of `linkers` hold the query as the text of a link. `section` is the number of the section whose
    heading is the query, in its page's outline.
    """

    kind: LabelKind
    query: str
    places: tuple[Place, ...]
    linkers: tuple[str, ...] = ()
    section: int | None = None

    @property
    def key(self) -> str:
        """Names the label among those of its wiki."""
        return f"{self.kind}\0{self.query}\0{self.places[0].path}\0{self.section}"

    @property
    def pages(self) -> tuple[str, ...]:
        """The relevant pages, each once."""
        return tuple(dict.fromkeys(place.path for place in self.places))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """A page with all that it is called by; `words` are those of its title and file name."""

    path: str
    title: str
    aliases: tuple[str, ...]
    outline: str
    words: frozenset[str]


@dataclass(slots=True)
class _Text:
    """What one wording leads to, in pages of `linkers`."""

    text: str
    places: set[Place] = field(default_factory=set)
    linkers: set[str] = field(default_factory=set)


async def collect_labels(snapshot: Snapshot) -> tuple[Label, ...]:
    """Returns every label of a wiki, each once, in a fixed order."""
    pages = (await snapshot.rows("pages", columns=_PAGE_COLUMNS)).to_pylist()
    links = (await snapshot.rows("links", columns=_LINK_COLUMNS)).to_pylist()
    reader = _Reader(pages, languages=snapshot.generation.counts.languages)
    found = (*reader.read_links(links), *reader.read_aliases(), *reader.read_headings())
    return tuple(sorted(found, key=lambda label: label.key))


class _Reader:
    """Reads labels off the rows of a wiki."""

    def __init__(self, pages: Iterable[Mapping[str, Any]], *, languages: Iterable[str]) -> None:
        self._languages = tuple(languages)
        self._pages = {
            row["path"]: self._name(row) for row in sorted(pages, key=lambda row: str(row["path"]))
        }

    def read_links(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[Label]:
        """Yields a label for each text that leads to few pages."""
        texts: dict[frozenset[str], _Text] = {}
        for row in sorted(rows, key=lambda row: (row["path"], row["position"])):
            target, text = row["target_path"], row["alias"]
            if (
                row["kind"] not in _LINK_KINDS
                or not text
                or target not in self._pages
                or target == row["path"]
            ):
                continue
            found = texts.setdefault(self._ask(text), _Text(text))
            found.places.add(Place(path=target, heading_path=tuple(row["target_heading_path"] or ())))
            found.linkers.add(row["path"])
        return self._make_labels("link", texts.values())

    def read_aliases(self) -> Iterator[Label]:
        """Yields a label for each other name that few pages have."""
        texts: dict[frozenset[str], _Text] = {}
        for page in self._pages.values():
            for alias in page.aliases:
                texts.setdefault(self._ask(alias), _Text(alias)).places.add(Place(path=page.path))
        return self._make_labels("alias", texts.values())

    def read_headings(self) -> Iterator[Label]:
        """Yields a label for each heading that no other section has; a short one is asked with its parent."""
        labels: dict[frozenset[str], list[Label]] = defaultdict(list)
        for page in self._pages.values():
            for number, section in enumerate(decode_outline(page.outline).sections):
                if section.level == 0:
                    continue
                *above, own = section.heading_path
                words = self._ask(own)
                parent = above[-1] if above else page.title
                label = Label(
                    kind="heading",
                    query=own if len(words) >= _LEAST_WORDS else f"{parent}: {own}",
                    places=(Place(path=page.path, heading_path=section.heading_path),),
                    section=number,
                )
                labels[words].append(label)
        return (
            label
            for words, (label, *others) in labels.items()
            if words and not others and self._can_ask(label)
        )

    def _make_labels(self, kind: LabelKind, texts: Iterable[_Text]) -> Iterator[Label]:
        for found in texts:
            label = Label(
                kind=kind,
                query=found.text,
                places=tuple(sorted(found.places, key=lambda place: (place.path, place.heading_path))),
                linkers=tuple(sorted(found.linkers)),
            )
            if self._can_ask(label):
                yield label

    def _can_ask(self, label: Label) -> bool:
        """Says whether a label says enough, leads to few pages, and is not what one of them is called."""
        words = self._ask(label.query)
        return (
            len(words) >= _LEAST_WORDS
            and len(label.query) <= _LONGEST
            and "://" not in label.query
            and len(label.pages) <= MOST_TARGETS
            and not set(label.pages) & set(label.linkers)
            and not any(words <= self._name_place(place, label.kind) for place in label.places)
        )

    def _name_place(self, place: Place, kind: LabelKind) -> frozenset[str]:
        """Returns the words that a place is called by; a heading that is to be hidden is none of them."""
        headings = place.heading_path[:-1] if kind == "heading" else place.heading_path
        return self._pages[place.path].words.union(*map(self._ask, headings))

    def _name(self, row: Mapping[str, Any]) -> _Named:
        return _Named(
            path=row["path"],
            title=row["title"],
            aliases=tuple(row["aliases"]),
            outline=row["outline"],
            words=self._ask(f"{row['title']}\n{PurePosixPath(row['path']).stem}"),
        )

    def _ask(self, text: str) -> frozenset[str]:
        return frozenset(analyze_query(text, self._languages).words)
