"""How the target of a link can be read, and where each reading may be found."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from chunking.model import Link
from chunking.targets import is_external, split_fragment
from indexer.name_index import Place, Spelling
from indexer.names import FOLDER_PAGES, fold_name, strip_page_extension

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://|//|mailto:|data:\w+/", re.IGNORECASE)
"""What makes a URL of a wikilink or embed, whose page may have a colon in its name."""

_HTML = re.compile(r"\.html?\Z", re.IGNORECASE)

_LATER_SPLITS = 3
"""How many "#" behind the first may end the name of a page."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a target: the page it names ("" is the linking page), a heading or block in it."""

    page: str
    heading: str | None = None
    block: str | None = None


def leads_outside(link: Link) -> bool:
    """Tells whether the link leads out of the wiki."""
    if link.kind == "autolink":
        return True
    if link.kind in ("markdown", "reference"):
        return is_external(link.target)
    return _ADDRESS.match(link.page) is not None


def read_target(link: Link) -> tuple[Reading, ...]:
    """Lists the readings of a target, best first.

    A name may hold a "#" or a "?": the target is read split at its first "#", then without a query, split at
    a later "#", and whole. At last come the spellings of other programs. The parts of a Markdown link are
    decoded, its target is not.
    """
    pages = [link.page]
    whole = [link.target]
    if link.kind != "wikilink":
        page, question_mark, _ = link.page.partition("?")
        if question_mark:
            pages.append(page)
        whole.insert(0, unquote(link.target))
    readings = [Reading(page, link.heading, link.block) for page in pages]
    readings += _split_later(whole[0])
    readings += [Reading(target) for target in whole if target != link.page]
    readings += [Reading(page, link.heading, link.block) for page in _respell(pages[-1])]
    return tuple(readings)


def _split_later(target: str) -> Iterator[Reading]:
    """Splits a target at its second "#" and those behind it, for names that hold a "#"."""
    steps = target.split("#", _LATER_SPLITS + 1)
    for count in range(2, len(steps)):
        parts = split_fragment("#".join(steps[:count]), "#".join(steps[count:]))
        yield Reading(parts.page, parts.heading, parts.block)


def _respell(page: str) -> Iterator[str]:
    """Yields a page as other programs spell it, each change on top of those before.

    Site generators end addresses in "/" or ".html", some programs encode wikilinks or write the separators of
    Windows, and GitHub's wikis have a hyphen in a file's name for each blank.
    """
    changes: tuple[Callable[[str], str], ...] = (
        lambda name: name if names_folder(name.rstrip("/")) else name.rstrip("/"),
        unquote,
        lambda name: name.replace("\\", "/"),
        lambda name: _HTML.sub("", name),
        lambda name: name.replace(" ", "-"),
    )
    for change in changes:
        changed = change(page)
        if changed != page:
            yield changed
        page = changed


def locate_target(target: str, source: str, *, own_first: bool) -> Place | None:
    """Says where a target that `source` names may be; None if that is outside the wiki.

    A leading "/" means the root, "./" and "../" the folder of the source, and nowhere else. Other targets are
    looked for in both, a bare name first beside the source, and then anywhere.
    """
    folder = source.rpartition("/")[0]
    if "/" not in target and target not in (".", ".."):
        plain = Spelling(target)
        return Place((Spelling(f"{folder}/{target}") if folder else plain, plain), plain)
    parts = target.split("/")
    base = folder if parts[0] in (".", "..") else ""
    joined = _join(base, parts)
    if joined is None:
        return None
    plain = Spelling(joined)
    if parts[0] in ("", ".", ".."):
        return Place((plain,), None)
    beside = Spelling(f"{folder}/{joined}".strip("/"))
    return Place((beside, plain) if own_first else (plain, beside), plain)


def names_folder(target: str) -> bool:
    """Tells whether a target can only be a folder: it ends in "/", "." or ".."."""
    return target.rpartition("/")[2] in ("", ".", "..")


def link_keys(link: Link) -> tuple[str, ...]:
    """Returns the folded names under which the link could be found, sorted; an external link has none.

    The page that a link leads to depends only on pages and assets that share one of these keys with it
    (`names.page_keys`, `names.asset_keys`).
    """
    if leads_outside(link):
        return ()
    return tuple(
        sorted({key for reading in read_target(link) if reading.page for key in _keys(reading.page)})
    )


def _keys(target: str) -> Iterator[str]:
    yield fold_name(target)
    parts = [part for part in target.split("/") if part not in ("", ".")]
    if not parts or parts[-1] == "..":
        # Which folder that is depends on the linking page.
        yield from FOLDER_PAGES
        return
    yield fold_name(parts[-1])
    yield fold_name(strip_page_extension(parts[-1]))


def _join(folder: str, parts: list[str]) -> str | None:
    """Resolves "." and ".." from a folder; None if that leads above the root."""
    path = folder.split("/") if folder else []
    for part in parts:
        if part == "..":
            if not path:
                return None
            path.pop()
        elif part not in ("", "."):
            path.append(part)
    return "/".join(path)
