"""The scope of a search: filters and path prefix as one predicate, applied before the top k of every lane."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from retrieval.filters import Comparison, Compound, Filter
from retrieval.predicates import MAX_SCOPE_LENGTH, compile_filter, matches, path_scope
from retrieval.spelling import spellings
from retrieval.store import Snapshot

_RANGES = ("gt", "gte", "lt", "lte")
_COLUMNS = ("path", "modified")


class ScopeCompiler:
    """Compiles scopes; the frontmatter that ranges need is read once a generation and kept."""

    def __init__(self) -> None:
        self._commit = ""
        self._frontmatter: Mapping[str, Mapping[str, Any]] = {}

    async def compile(self, snapshot: Snapshot, filters: Filter | None, path_prefix: str) -> str | None:
        """Returns the predicate of a scope, None for the whole wiki.

        Raises:
            InvalidFilter: The path prefix leads out of the wiki.
        """
        parts = [await _find_scope(snapshot, path_prefix)]
        if filters is not None:
            if any(_needs_frontmatter(comparison) for comparison in _walk(filters)):
                await self._read_frontmatter(snapshot)
            parts.append(compile_filter(filters, self._match_pages))
        return " AND ".join(f"({part})" for part in parts if part is not None) or None

    def _match_pages(self, comparison: Comparison) -> Sequence[str]:
        return [page for page, values in self._frontmatter.items() if matches(comparison, values)]

    async def _read_frontmatter(self, snapshot: Snapshot) -> None:
        if snapshot.generation.commit_id == self._commit:
            return
        rows = await snapshot.rows("pages", columns=["page_id", "frontmatter"])
        self._frontmatter = {
            page: _read_values(text)
            for page, text in zip(rows["page_id"].to_pylist(), rows["frontmatter"].to_pylist(), strict=True)
        }
        self._commit = snapshot.generation.commit_id


async def _find_scope(snapshot: Snapshot, prefix: str) -> str | None:
    """Returns the predicate of a prefix as it is written, or of another spelling if only that has pages."""
    scope = path_scope(prefix)
    others = [form for form in spellings(prefix)[1:] if len(form) <= MAX_SCOPE_LENGTH]
    if others and not await snapshot.count("pages", scope):
        for other in map(path_scope, others):
            if await snapshot.count("pages", other):
                return other
    return scope


def _walk(filters: Filter) -> Iterator[Comparison]:
    if isinstance(filters, Compound):
        for part in filters.filters:
            yield from _walk(part)
    else:
        yield filters


def _needs_frontmatter(comparison: Comparison) -> bool:
    return comparison.type in _RANGES and comparison.key not in _COLUMNS


def _read_values(text: str) -> dict[str, Any]:
    values = json.loads(text)
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
