"""A snapshot in memory of pages that have one chunk each, and of the links between them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pyarrow as pa

from retrieval.candidate import COLUMNS

Link = tuple[str, str]
"""The paths of the page that links and of the page linked to."""

_QUOTED = re.compile(r"'([^']*)'")
_LINK_COLUMNS = ("path", "target_path")


class LinkedPages:
    """Answers what the expansion through links reads: links and chunks of the pages named in a predicate.

    `terms` are those of each page's chunk, by path. Links come in the order given, each on a line of its own.
    """

    def __init__(self, terms: Mapping[str, Sequence[str]], links: Iterable[Link]) -> None:
        self._chunks = [_make_chunk(path, words) for path, words in terms.items()]
        self._links = [
            {
                "path": source,
                "line": line,
                "kind": "wikilink",
                "target_path": target,
                "target_heading_path": None,
            }
            for line, (source, target) in enumerate(links, start=1)
        ]
        self.generation = SimpleNamespace(counts=SimpleNamespace(links=len(self._links)))

    async def rows(
        self, table: str, *, columns: Sequence[str], where: str, limit: int | None = None
    ) -> pa.Table:
        named = set(_QUOTED.findall(where))
        rows, keys = (self._links, _LINK_COLUMNS) if table == "links" else (self._chunks, ("path",))
        kept = [row for row in rows if any(row[key] in named for key in keys)]
        return pa.table({column: [row[column] for row in kept[:limit]] for column in columns})


def _make_chunk(path: str, terms: Sequence[str]) -> dict[str, Any]:
    texts = dict.fromkeys(COLUMNS, "")
    numbers = dict.fromkeys(("ordinal", "section", "char_start", "char_end", "tokens", "modified"), 0)
    numbers["page_terms"] = len(terms)
    lines = {"line_start": 1, "line_end": 1}
    own = {"chunk_id": f"c-{path}", "page_id": f"p-{path}", "path": path, "terms": " ".join(terms)}
    return {**texts, **numbers, **lines, "heading_path": [], "heading_only": False, **own}
