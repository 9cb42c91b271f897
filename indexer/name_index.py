"""All names of a wiki, and the search for what a target names."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from indexer.names import FOLDER_PAGES, PageNames, PagePath, compose_name, fold_name, split_page_path


class Spelling:
    """A name as it is written, and the form in which it is looked up."""

    __slots__ = ("folded", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold_name(text)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a target may be: at one of `paths`, tried in order, else at any path that ends in `suffix`."""

    paths: tuple[Spelling, ...]
    suffix: Spelling | None


@dataclass(frozen=True, slots=True)
class Finding:
    """What a target names: nothing, one path, or several with the same claim (sorted)."""

    paths: tuple[str, ...] = ()
    is_asset: bool = False


@dataclass(frozen=True, slots=True)
class _Name:
    spelled: str
    path: str


class NameTable:
    """Names by their folded spelling; of several that agree in it, those spelled as asked are found."""

    def __init__(self) -> None:
        self._names: dict[str, list[_Name]] = defaultdict(list)
        self._chosen: dict[str, tuple[str, ...]] = {}

    def add(self, folded: str, name: _Name) -> None:
        """Lets the name be found under a folded spelling."""
        self._names[folded].append(name)

    def __contains__(self, folded: str) -> bool:
        return folded in self._names

    def find(self, spelling: Spelling) -> tuple[str, ...]:
        """Returns the paths that the spelling names, sorted."""
        names = self._names.get(spelling.folded)
        if names is None:
            return ()
        if len(names) == 1:
            return (names[0].path,)
        # Thousands of pages may be called "index": they are compared once for each spelling.
        if spelling.text not in self._chosen:
            self._chosen[spelling.text] = _choose(names, spelling.text)
        return self._chosen[spelling.text]


class PathTable:
    """Names that are paths, found by the whole path or by its last components."""

    def __init__(self, entries: Iterable[tuple[str, str, str]]) -> None:
        """Takes (folder, name in it, path it leads to); the name is one component even if it has a "/"."""
        self._whole = NameTable()
        self._suffixes = NameTable()
        for folder, base, path in entries:
            name = _Name(f"{folder}/{base}" if folder else base, path)
            folded = fold_name(name.spelled)
            self._whole.add(folded, name)
            for suffix in _list_suffixes(folded, len(fold_name(base))):
                self._suffixes.add(suffix, name)

    def find(self, place: Place) -> tuple[str, ...]:
        """Returns the paths at the first place where there are any, sorted."""
        if place.suffix is not None and place.suffix.folded not in self._suffixes:
            return ()
        for spelling in place.paths:
            if found := self._whole.find(spelling):
                return found
        return () if place.suffix is None else self._suffixes.find(place.suffix)


class NameIndex:
    """The names of all pages and assets, with a table for each way in which they can be named."""

    def __init__(self, pages: Iterable[PageNames], assets: Iterable[str]) -> None:
        names = tuple(pages)
        paths = [split_page_path(page.path) for page in names]
        self._page_tables = (
            PathTable((page.folder, page.name, page.path) for page in paths),
            PathTable((page.folder, page.stem, page.path) for page in paths),
            PathTable((page.folder, page.decoded, page.path) for page in paths if page.decoded != page.stem),
        )
        self._folders = PathTable(_list_folder_pages(paths))
        # Titles and aliases are prose: unlike file names, no two of them differ in case on purpose.
        self._titles = _group_by_name((page.title, page.path) for page in names)
        self._aliases = _group_by_name((alias, page.path) for page in names for alias in page.aliases)
        self._assets = PathTable((*_split_folder(path), path) for path in assets)

    def find(self, target: str, place: Place) -> Finding:
        """Finds a target: names of pages, then folders, titles, aliases, and assets last."""
        for table in self._page_tables:
            if found := table.find(place):
                return Finding(found)
        name = fold_name(target)
        found = self._folders.find(place) or self._titles.get(name, ()) or self._aliases.get(name, ())
        return Finding(found) if found else Finding(self._assets.find(place), is_asset=True)

    def find_folder(self, place: Place) -> Finding:
        """Finds the page that stands for a folder."""
        return Finding(self._folders.find(place))


def _choose(names: list[_Name], spelled: str) -> tuple[str, ...]:
    """Keeps the names spelled exactly so, else those that differ in case only from none, else all."""
    ending = "/" + spelled
    exact = [name for name in names if name.spelled == spelled or name.spelled.endswith(ending)]
    if not exact:
        composed = compose_name(spelled)
        exact = [name for name in names if ("/" + compose_name(name.spelled)).endswith("/" + composed)]
    return tuple(sorted({name.path for name in exact or names}))


def _group_by_name(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    groups: dict[str, set[str]] = defaultdict(set)
    for name, path in pairs:
        groups[fold_name(name)].add(path)
    return {name: tuple(sorted(paths)) for name, paths in groups.items()}


def _list_suffixes(folded: str, base_length: int) -> Iterator[str]:
    """Yields the path and its ends at each "/", down to its last component of the given length."""
    start, last = 0, len(folded) - base_length
    while start <= last:
        yield folded[start:]
        if start == last:
            return
        start = folded.index("/", start) + 1


def _list_folder_pages(pages: list[PagePath]) -> Iterator[tuple[str, str, str]]:
    """Yields each folder that a page stands for; `index` before `README`."""
    by_folder: dict[str, list[PagePath]] = defaultdict(list)
    for page in pages:
        if page.is_folder_page:
            by_folder[page.folder].append(page)
    for folder, candidates in by_folder.items():
        best = min(FOLDER_PAGES.index(page.stem.lower()) for page in candidates)
        for page in candidates:
            if FOLDER_PAGES.index(page.stem.lower()) == best:
                yield (*_split_folder(folder), page.path)


def _split_folder(path: str) -> tuple[str, str]:
    folder, _, name = path.rpartition("/")
    return folder, name
