"""Links and tags of a page, in the order of the file."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from markdown_it.token import Token

from chunking.blocks import InlineText
from chunking.lines import LineIndex
from chunking.metadata_links import read_metadata_wikilinks
from chunking.model import Dialect, Frontmatter, Link, LinkKind, Section
from chunking.syntax.wikilinks import WIKILINK
from chunking.targets import Target, read_wikilink, split_target, split_url
from chunking.visible import shorten_name, visible_text

MAX_LINKS: Final = 50_000
MAX_TAGS: Final = 1_000
"""Tags are written with every chunk of their page."""

# No file has a longer name, and a definition may be used a million times; images are also written as links.
_MAX_TARGET: Final = 4_096


class MentionReader:
    """Collects the links and tags of a page in the order of the file; code and comments hold none.

    `cut` names what there was too much of.
    """

    def __init__(self, sections: Sequence[Section], dialect: Dialect) -> None:
        self.links: list[Link] = []
        self.tags: dict[str, None] = {}
        self.cut: set[str] = set()
        self._sections = sections
        self._starts = [section.span.line_start for section in sections]
        self._dialect = dialect

    def read_metadata(self, frontmatter: Frontmatter, text: str, lines: LineIndex) -> None:
        """Takes the tags of the metadata, and the wikilinks of its raw lines."""
        for tag in frontmatter.tags:
            self._add_tag(tag)
        for content, embedded, offset in read_metadata_wikilinks(text[: frontmatter.char_end]):
            self._add_link(_wikilink(content, embedded, lines.line_of(offset), (), self._dialect))

    def read_text(self, text: InlineText) -> None:
        """Takes the links and tags of a text."""
        path = _path_at(text.line, self._sections, self._starts)
        line, counted = text.line, 0
        for index, token in enumerate(text.tokens):
            if token.type == "tag":
                self._add_tag(token.content)
            position: int | None = token.meta.get("position")
            if position is None:
                continue
            line += text.content.count("\n", counted, position)
            counted = position
            self._add_link(
                _wikilink(token.content, token.markup == "!", line, path, self._dialect)
                if token.type == "wikilink"
                else _markdown_link(text.tokens, index, line, path, self._dialect)
            )

    def _add_tag(self, tag: str) -> None:
        if len(self.tags) < MAX_TAGS or tag in self.tags:
            self.tags[tag] = None
        else:
            self.cut.add("tags")

    def _add_link(self, link: Link | None) -> None:
        if link and len(link.target) <= _MAX_TARGET:
            if len(self.links) < MAX_LINKS:
                self.links.append(link)
            else:
                self.cut.add("links")


def _path_at(line: int, sections: Sequence[Section], starts: Sequence[int]) -> tuple[str, ...]:
    index = bisect_right(starts, line) - 1
    return sections[index].heading_path if index >= 0 else ()


def _wikilink(
    content: str, embedded: bool, line: int, path: tuple[str, ...], dialect: Dialect
) -> Link | None:
    target, alias = read_wikilink(content, dialect)
    kind: LinkKind = "embed" if embedded else "wikilink"
    return _link(kind, target, split_target(target, dialect), line, alias, path)


def _markdown_link(
    children: Sequence[Token], index: int, line: int, path: tuple[str, ...], dialect: Dialect
) -> Link | None:
    token = children[index]
    if token.type == "image":
        target = str(token.attrs["src"])
        return _link("embed", target, split_url(target), line, _alias([token], dialect), path)
    target = str(token.attrs["href"])
    if token.info == "auto":
        return _link("autolink", target, split_url(target), line, None, path)
    kind: LinkKind = "reference" if "label" in token.meta else "markdown"
    end = next(i for i in range(index, len(children)) if _closes(children[i], token))
    alias = _alias(children[index + 1 : end], dialect)
    if labelled := WIKILINK.fullmatch(target):  # Logseq writes [label]([[page]])
        return _link("wikilink", labelled[2], split_target(labelled[2], dialect), line, alias, path)
    return _link(kind, target, split_url(target), line, alias, path)


def _closes(token: Token, opener: Token) -> bool:
    return token.type == "link_close" and token.level == opener.level


def _alias(tokens: Sequence[Token], dialect: Dialect) -> str | None:
    return shorten_name(visible_text(tokens, dialect)) or None


def _link(
    kind: LinkKind, raw: str, target: Target, line: int, alias: str | None, path: tuple[str, ...]
) -> Link | None:
    if not (target.page or target.heading or target.block):
        return None
    return Link(
        line=line,
        kind=kind,
        target=raw,
        page=target.page,
        heading=target.heading,
        block=target.block,
        alias=alias,
        heading_path=path,
    )
