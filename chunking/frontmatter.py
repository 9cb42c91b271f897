"""The metadata block that opens a page: YAML between `---` lines or TOML between `+++` lines."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from chunking.lines import LINE_END, LineIndex
from chunking.metadata import Field, Problem
from chunking.model import Frontmatter, PageIssue
from chunking.toml_metadata import looks_like_toml, read_toml
from chunking.visible import shorten_name
from chunking.yaml_metadata import looks_like_mapping, looks_like_metadata, read_yaml

_OPENING = re.compile(r"(---|\+\+\+)[ \t]*(?:\r\n?|\n)")
_CLOSING = {
    "---": re.compile(r"(?:\A|(?<=[\r\n]))(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)"),
    "+++": re.compile(r"(?:\A|(?<=[\r\n]))\+\+\+[ \t]*(?:\r\n?|\n|\Z)"),
}
_MAX_LENGTH = 65_536
"""Metadata is written with every chunk of its page, and its parsers may take the square of its length."""

_TAG_BREAK = re.compile(r"[,\s]+")


def read_frontmatter(text: str, lines: LineIndex) -> tuple[Frontmatter, tuple[PageIssue, ...]]:
    """Reads the block at the start of `text`; without one, both results are empty.

    A block that looks like metadata but cannot be parsed still counts as one, without values, and gives
    the issue `frontmatter-invalid`. Everything else between two rules is body.
    """
    opening = _OPENING.match(text)
    closing = _CLOSING[opening[1]].search(text, opening.end()) if opening else None
    if not opening or not closing:
        return Frontmatter(), ()
    block = text[opening.end() : closing.start()]
    found = _read_block(opening[1], block)
    if found is None:
        return Frontmatter(), ()
    fields = {} if isinstance(found, Problem) else found
    frontmatter = Frontmatter(
        title=title_of(fields),
        aliases=aliases_of(fields),
        tags=tags_of(fields),
        values={key: field.value for key, field in fields.items()},
        char_end=closing.end(),
        line_end=lines.line_of(closing.start()),
    )
    return frontmatter, (_report(found),) if isinstance(found, Problem) else ()


def add_properties(frontmatter: Frontmatter, fields: Mapping[str, Field]) -> Frontmatter:
    """Adds fields that stand in the text of a page; those of the block come first."""
    return replace(
        frontmatter,
        title=frontmatter.title or title_of(fields),
        aliases=tuple(dict.fromkeys((*frontmatter.aliases, *aliases_of(fields)))),
        tags=tuple(dict.fromkeys((*frontmatter.tags, *tags_of(fields)))),
        values={**{key: field.value for key, field in fields.items()}, **frontmatter.values},
    )


def title_of(fields: Mapping[str, Field]) -> str | None:
    """Returns the title as it is written ("2024", not a number); None if there is none."""
    field = next(_fields_called(("title",), fields), None)
    single = field is not None and not isinstance(field.value, tuple)
    return (shorten_name(" ".join(field.texts[0].split())) or None) if field and single else None


def aliases_of(fields: Mapping[str, Field]) -> tuple[str, ...]:
    """Returns the other names; commas separate them only in a single text without quotes."""
    return _collect(fields, ("aliases", "alias"), re.compile(","))


def tags_of(fields: Mapping[str, Field]) -> tuple[str, ...]:
    """Returns the tags without "#"; commas and blanks separate them only in a single text without quotes."""
    return _collect(fields, ("tags", "tag"), _TAG_BREAK, drop="#")


def _collect(
    fields: Mapping[str, Field], keys: Iterable[str], separator: re.Pattern[str], drop: str = ""
) -> tuple[str, ...]:
    texts = [
        part
        for field in _fields_called(keys, fields)
        for text in field.texts
        for part in (separator.split(text) if field.plain else [text])
    ]
    names = (text.strip().lstrip(drop) if drop else text.strip() for text in texts)
    return tuple(dict.fromkeys(name for name in names if name))


def _fields_called(keys: Iterable[str], fields: Mapping[str, Field]) -> Iterator[Field]:
    """Yields the fields with one of these keys, in the order of the keys; their case says nothing."""
    return (field for key in keys for name, field in fields.items() if name.lower() == key)


def _read_block(marker: str, block: str) -> dict[str, Field] | Problem | None:
    if not block.strip():
        return {}
    lines = LINE_END.split(block)
    if marker == "---" and not looks_like_mapping(lines):
        return None
    found = _parse_block(marker, block)
    looks_alike = looks_like_toml if marker == "+++" else looks_like_metadata
    return None if isinstance(found, Problem) and not looks_alike(lines) else found


def _parse_block(marker: str, block: str) -> dict[str, Field] | Problem | None:
    if len(block) > _MAX_LENGTH:
        return Problem(line=1, detail=f"is longer than {_MAX_LENGTH} characters")
    return read_toml(block) if marker == "+++" else read_yaml(block)


def _report(problem: Problem) -> PageIssue:
    # The block begins on the second line of the page.
    return PageIssue(line=problem.line + 1, code="frontmatter-invalid", detail=problem.detail)
