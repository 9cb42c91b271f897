"""Logseq's page properties: lines `key:: value` that open a page."""

import re

from chunking.lines import LINE_END
from chunking.metadata import Field

_PROPERTY = re.compile(r"(?:- )?([\w-]+)::(?:[ \t]+([^\r\n]*))?")
_REFERENCE = re.compile(r"#?\[\[([^\[\]]*)\]\]")


def read_properties(body: str) -> dict[str, Field]:
    """Reads the properties in the first block of a page; a name in brackets counts as the name alone."""
    fields: dict[str, Field] = {}
    position = len(body) - len(body.lstrip())
    while match := _PROPERTY.match(body, position):
        text = _REFERENCE.sub(r"\1", match[2] or "").strip()
        if text:
            fields[match[1].lower()] = Field(value=text, texts=(text,), plain=True)
        line_end = LINE_END.search(body, match.end())
        if not line_end:
            break
        position = line_end.end()
    return fields
