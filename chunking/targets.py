"""What the target of a link says: page, heading, block."""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from chunking.model import Dialect

# At least two letters, so that "C:" is no scheme; a blank behind the colon makes it a title.
_SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]+:(?=\S)|//)")

# "#from,1:#to" shows a part of a page, without that many first lines.
_RANGE = re.compile(r"(?:,\d+)?(?::#.*)?$")
_VAULT = re.compile(r"dendron://[^/]*/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A target taken apart: the page as a name or path, and the heading or block behind "#"."""

    page: str
    heading: str | None = None
    block: str | None = None


def is_external(target: str) -> bool:
    """Tells whether a Markdown link leaves the wiki: it names a scheme or a host."""
    return _SCHEME.match(target) is not None


def read_wikilink(content: str, dialect: Dialect) -> tuple[str, str | None]:
    """Splits what stands between `[[` and `]]` at the first `|` or `\\|` into target and alias."""
    left, bar, right = content.partition("|")
    left, right = left.rstrip("\\").strip() if bar else left.strip(), right.strip()
    if dialect == "dendron" and bar:
        left, right = right, left
    return left, right or None


def split_target(target: str, dialect: Dialect) -> Target:
    """Splits a wikilink's target at the first "#".

    In dendron's, the name of a vault is left out, and of a range of headings the first one counts.
    """
    page, _, fragment = target.partition("#")
    if dialect == "dendron":
        page, fragment = _VAULT.sub("", page), _RANGE.sub("", fragment)
    return split_fragment(page.strip(), fragment.strip())


def split_url(target: str) -> Target:
    """Splits the target of a Markdown link at the first "#", then decodes both parts; URLs stay whole."""
    if is_external(target):
        return Target(page=target)
    page, _, fragment = target.partition("#")
    return split_fragment(unquote(page), unquote(fragment))


def split_fragment(page: str, fragment: str) -> Target:
    """Reads what stands behind the "#": a heading, or a block, to which "Heading#^block" leads too."""
    if "#^" in "#" + fragment:
        return Target(page=page, block=fragment.rpartition("^")[2].strip() or None)
    return Target(page=page, heading=fragment or None)
