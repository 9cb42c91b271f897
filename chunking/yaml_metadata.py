"""YAML metadata, read from the stream of parser events.

Events are read instead of a document because they cost the same for any input: nesting needs no recursion,
aliases are not expanded, and no object is built from a tag.
"""

import re
from collections.abc import Iterator
from typing import Final

import yaml

from chunking.metadata import Field, Problem, read_scalar
from chunking.model import Scalar

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BLANK = re.compile(r"[ \t]*(?:#.*)?")
_KEY = re.compile(
    r"""(?: "[^"]*"[ \t]* | '[^']*'[ \t]* | [^\s#:'"\[\]{},&*!|>%@`-][^:]* | -[^\s:][^:]* ) : (?:[ \t].*)?""",
    re.VERBOSE,
)
_LIST_ITEM = re.compile(r"-(?:[ \t].*)?")
_CLOSING = re.compile(r"[\]}],?[ \t]*")
_OTHER_MAPPING = ("{", "?", "&", "!", "%")


def looks_like_mapping(lines: list[str]) -> bool:
    """Tells whether the first line that says anything opens a mapping."""
    first = next((line for line in lines if not _BLANK.fullmatch(line)), "")
    return first.startswith(_OTHER_MAPPING) or _KEY.fullmatch(first) is not None


def looks_like_metadata(lines: list[str]) -> bool:
    """Tells whether every line at column 0 is a key, list item, comment, closing bracket or blank."""
    return all(
        line[:1] in (" ", "\t") or any(form.fullmatch(line) for form in (_BLANK, _KEY, _LIST_ITEM, _CLOSING))
        for line in lines
    )


def read_yaml(block: str) -> dict[str, Field] | Problem | None:
    """Reads the fields of a mapping; None if the block is something else, a Problem if it is no YAML."""
    try:
        events = list(yaml.parse(block, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        return Problem(line=mark.line + 1 if mark else 1, detail=error.problem or "cannot be parsed")
    except (yaml.YAMLError, UnicodeError):
        return Problem(line=1, detail="holds characters that YAML does not allow")
    if not isinstance(events[2], yaml.MappingStartEvent):
        return None
    if any(isinstance(event, yaml.DocumentStartEvent) for event in events[2:]):
        return Problem(line=1, detail="holds more than one document")
    return _read_mapping(iter(events[3:]))


def _read_mapping(events: Iterator[yaml.Event]) -> dict[str, Field] | Problem:
    fields: dict[str, Field] = {}
    for key in events:
        if isinstance(key, yaml.MappingEndEvent):
            break
        if not isinstance(key, yaml.ScalarEvent):
            return _complain_about_key(key)
        field = _read_value(next(events), events)
        if isinstance(field, Problem):
            return field
        if field is not None:
            fields[key.value] = field
    return fields


def _read_value(event: yaml.Event, events: Iterator[yaml.Event]) -> Field | Problem | None:
    if isinstance(event, yaml.ScalarEvent):
        value = _type_scalar(event)
        return None if value is None else Field(value=value, texts=(event.value,), plain=event.implicit[0])
    if isinstance(event, yaml.AliasEvent):
        return None
    return _read_collection(event, events)


def _read_collection(start: yaml.Event, events: Iterator[yaml.Event]) -> Field | Problem | None:
    """Keeps the scalars of a flat list; what is nested deeper is only checked."""
    # One entry for each open collection: None in a list, else whether a key is due.
    open_: list[bool | None] = [True if isinstance(start, yaml.MappingStartEvent) else None]
    kept: list[tuple[Scalar, str]] = []
    while open_:
        event = next(events)
        if isinstance(event, yaml.CollectionEndEvent):
            open_.pop()
            continue
        if open_[-1] and not isinstance(event, yaml.ScalarEvent):
            return _complain_about_key(event)
        if isinstance(event, yaml.ScalarEvent) and open_ == [None]:
            value = _type_scalar(event)
            if value is not None:
                kept.append((value, event.value))
        if open_[-1] is not None:
            open_[-1] = not open_[-1]
        if isinstance(event, yaml.CollectionStartEvent):
            open_.append(True if isinstance(event, yaml.MappingStartEvent) else None)
    if isinstance(start, yaml.MappingStartEvent):
        return None
    return Field(value=tuple(value for value, _ in kept), texts=tuple(text for _, text in kept))


def _type_scalar(event: yaml.ScalarEvent) -> Scalar | None:
    return read_scalar(event.value) if event.implicit[0] else event.value


def _complain_about_key(event: yaml.Event) -> Problem:
    mark = event.start_mark
    return Problem(line=mark.line + 1 if mark else 1, detail="found a key that is no scalar")
