"""What pages are called, and how names are compared.

Names are compared in canonical caseless form (`fold_name`); where several agree in it, one that is spelled as
the link is beats the others. Paths themselves stay as they are on disk.
"""

import unicodedata
from dataclasses import dataclass
from urllib.parse import unquote

from indexer.files import PAGE_EXTENSIONS

FOLDER_PAGES = ("index", "_index", "readme")
"""Stems (folded) of the pages that a link to their folder leads to, best first."""

LOGSEQ_SEPARATOR = "___"
"""How Logseq writes the "/" of a namespace in a file name; other characters it percent-encodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageNames:
    """What a page is called: its path, its title ("" where it has none) and its aliases."""

    path: str
    title: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PagePath:
    """A page's path in parts; the folder of the root is "".

    `decoded` is the stem as a link writes it: as Logseq means it, and without blanks around it.
    """

    path: str
    folder: str
    name: str
    stem: str
    decoded: str

    @property
    def is_folder_page(self) -> bool:
        """Tells whether a link to the folder leads to this page."""
        return self.stem.lower() in FOLDER_PAGES


def split_page_path(path: str) -> PagePath:
    """Takes a page's path apart."""
    folder, _, name = path.rpartition("/")
    stem = strip_page_extension(name)
    decoded = stem.replace(LOGSEQ_SEPARATOR, "/")
    return PagePath(path, folder, name, stem, (unquote(decoded) if "%" in decoded else decoded).strip())


def strip_page_extension(name: str) -> str:
    """Returns the name without its `.md` or `.markdown`."""
    lowered = name.lower()
    for extension in PAGE_EXTENSIONS:
        if lowered.endswith(extension):
            return name[: -len(extension)]
    return name


def fold_name(name: str) -> str:
    """Returns the form in which names are compared: canonical caseless (Unicode 3.13, D145), then NFC."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def compose_name(name: str) -> str:
    """Returns the name in NFC, its case kept."""
    return unicodedata.normalize("NFC", name)


def page_keys(names: PageNames) -> frozenset[str]:
    """Returns the keys of a page: each link that could lead to it has one of them (`targets.link_keys`)."""
    page = split_page_path(names.path)
    keys = {page.stem, page.decoded.rpartition("/")[2], names.title, *names.aliases}
    if page.is_folder_page:
        keys.add(page.folder.rpartition("/")[2])
    return frozenset(fold_name(key) for key in keys if key)


def asset_keys(path: str) -> frozenset[str]:
    """Returns the keys of an asset: each link that could lead to it has one of them (`targets.link_keys`)."""
    return frozenset((fold_name(path.rpartition("/")[2]),))
