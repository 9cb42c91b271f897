"""The pages that one request looks at: each file is read once, and all together are bounded."""

from functools import cached_property
from typing import Literal

from chunking.lines import LineIndex
from chunking.model import Dialect, Section
from retrieval.live import LiveWiki, read_text
from retrieval.repair import MAX_REPAIRED_LENGTH, ChangedPage, find_nearest, read_head_of
from retrieval.verification.folding import FoldedText, fold_blanks
from retrieval.verification.model import Place

MAX_BYTES = 64 * 1024 * 1024
"""Bytes that one request has read."""

_MAX_FOLDED = 4_000_000
"""Characters of a page that is compared with blanks folded; a larger one must say it letter for letter."""

_MAX_COMPARED = 100_000
"""Characters of a page in which what is left of an edited passage is looked for."""

Absence = Literal["gone", "unreadable", "no-text"]


class LivePage:
    """A page as its file is now."""

    def __init__(self, path: str, sha256: str, text: str, dialect: Dialect) -> None:
        self.path, self.sha256, self.text = path, sha256, text
        self._dialect = dialect

    @cached_property
    def lines(self) -> LineIndex:
        """The lines of the text."""
        return LineIndex(self.text)

    def place(self, start: int, end: int) -> Place:
        """Returns a range of characters as a place."""
        return Place(path=self.path, span=self.lines.span(start, end))

    def find_text(self, text: str, near: int) -> Place | None:
        """Returns where the page says `text`, nearest to an offset; with other blanks if need be."""
        exact = find_nearest(self.text, text, near)
        if exact is not None:
            return self.place(exact, exact + len(text))
        return self.find_folded(fold_blanks(text.strip()), near)

    def find_folded(self, folded: str, near: int) -> Place | None:
        """Returns where the page says a folded text, nearest to an offset."""
        if len(self.text) > _MAX_FOLDED:
            return None
        found = self._folded.find(folded, near)
        return None if found is None else self.place(*found)

    def find_edited(self, old: str, start: int, end: int) -> Place | None:
        """Returns where the page says most of a range of an older text of it, or of a part of that."""
        if max(len(old), len(self.text)) > _MAX_COMPARED:
            return None
        found = ChangedPage(self.path, old=old, new=self.text, dialect=self._dialect).find(start, end)
        return None if found is None else Place(path=self.path, span=found.span)

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections of the page; none where it is too long to be parsed meanwhile."""
        if len(self.text) > MAX_REPAIRED_LENGTH:
            return ()
        return read_head_of(self.path, self.text, self._dialect).sections

    @cached_property
    def _folded(self) -> FoldedText:
        return FoldedText(self.text)


class Library:
    """Opens pages by path, through the one door that there is to the wiki's files."""

    def __init__(self, wiki: LiveWiki) -> None:
        self._wiki = wiki
        self._left = MAX_BYTES
        self._pages: dict[str, LivePage | Absence] = {}

    def open(self, path: str) -> LivePage | Absence:
        """Returns a page, or why there is none; the same for as long as the request lasts."""
        if path not in self._pages:
            self._pages[path] = self._read(path)
        return self._pages[path]

    def _read(self, path: str) -> LivePage | Absence:
        if self._left <= 0:
            return "unreadable"
        try:
            file = self._wiki.read(path)
        except FileNotFoundError:
            return "gone"
        except OSError:
            return "unreadable"
        self._left -= len(file.raw)
        text = read_text(file.raw)
        return "no-text" if text is None else LivePage(path, file.sha256, text, self._wiki.dialect)
