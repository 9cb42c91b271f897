"""An evidence pack as people read it."""

import textwrap

from service.cli.output import show_name
from service.wire.pack import EvidenceAnswer, EvidencePassage

_INDENT = "    "


def describe_pack(pack: EvidenceAnswer) -> str:
    """Returns the passages with where they stand, then the warnings."""
    parts = [_describe_passage(passage) for passage in pack.evidence]
    parts += [f"warning: {warning.message}" for warning in pack.warnings]
    return "\n\n".join(parts) or "nothing found"


def _describe_passage(passage: EvidencePassage) -> str:
    place = passage.citation
    headings = " > ".join(place.heading_path) or place.title
    lines = [
        f"{passage.rank}  {place.path}:{place.line_start}-{place.line_end}  {headings}  {passage.score:.2f}"
    ]
    lines += [
        f"{_INDENT}also at {other.path}:{other.line_start}-{other.line_end}" for other in passage.also_at
    ]
    lines += [f"{_INDENT}linked from {via.source}:{via.line}" for via in passage.via]
    if place.freshness != "fresh":
        lines.append(f"{_INDENT}({place.freshness})")
    text = textwrap.indent(passage.text.strip("\n"), _INDENT)
    return "\n".join([*map(show_name, lines), text])
