"""Links of a page, in the order of the file."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from chunking.lines import LineIndex
from chunking.model import Dialect, Frontmatter, Link, LinkKind, Section
from chunking.syntax.wikilinks import WIKILINK
from chunking.targets import Target, read_wikilink, split_target, split_url
from chunking.visible import visible_text


def read_links(
    tokens: Sequence[Token],
    text: str,
    lines: LineIndex,
    frontmatter: Frontmatter,
    sections: Sequence[Section],
    dialect: Dialect,
) -> tuple[Link, ...]:
    """Collects wikilinks of the raw metadata lines and all links of the text; code and comments hold none."""
    starts = [section.span.line_start for section in sections]
    links = list(_read_metadata(text[: frontmatter.char_end], lines, dialect))
    for block in tokens:
        if block.type != "inline" or not block.map:
            continue
        links.extend(_read_inline(block, block.map[0], sections, starts, dialect))
    return tuple(links)


def _read_metadata(block: str, lines: LineIndex, dialect: Dialect) -> Iterator[Link]:
    for match in WIKILINK.finditer(block):
        link = _wikilink(match[2], bool(match[1]), lines.line_of(match.start()), (), dialect)
        if link:
            yield link


def _read_inline(
    block: Token, first_line: int, sections: Sequence[Section], starts: Sequence[int], dialect: Dialect
) -> Iterator[Link]:
    content, children = block.content, block.children or []
    path = _path_at(first_line, sections, starts)
    line, counted = first_line, 0
    for index, token in enumerate(children):
        position: int | None = token.meta.get("position")
        if position is None:
            continue
        line += content.count("\n", counted, position)
        counted = position
        link = (
            _wikilink(token.content, token.markup == "!", line, path, dialect)
            if token.type == "wikilink"
            else _markdown_link(children, index, line, path, dialect)
        )
        if link:
            yield link


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
    return _link(kind, target, split_url(target), line, _alias(children[index + 1 : end], dialect), path)


def _closes(token: Token, opener: Token) -> bool:
    return token.type == "link_close" and token.level == opener.level


def _alias(tokens: Sequence[Token], dialect: Dialect) -> str | None:
    return visible_text(tokens, dialect) or None


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
