"""The scope of a search: filters and path prefix as one predicate, applied before the top k of every lane."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from retrieval.filters import Comparison, Compound, Filter, is_frontmatter_range
from retrieval.predicates import MAX_SCOPE_LENGTH, compile_filter, matches, path_scope
from retrieval.spelling import spellings
from retrieval.store import Snapshot

_Frontmatter = Mapping[str, Mapping[str, Any]]


class ScopeCompiler:
    """Compiles scopes; the frontmatter that ranges need is read once a generation and kept."""

    def __init__(self) -> None:
        self._commit = ""
        self._frontmatter: _Frontmatter = {}

    async def compile(self, snapshot: Snapshot, filters: Filter | None, path_prefix: str) -> str | None:
        """Returns the predicate of a scope, None for the whole wiki.

        Raises:
            InvalidFilter: The path prefix leads out of the wiki.
        """
        parts = [await _find_scope(snapshot, path_prefix)]
        if filters is not None:
            parts.append(await self._compile_filter(snapshot, filters))
        return " AND ".join(f"({part})" for part in parts if part is not None) or None

    async def _compile_filter(self, snapshot: Snapshot, filters: Filter) -> str:
        frontmatter: _Frontmatter = {}
        if any(is_frontmatter_range(comparison.type, comparison.key) for comparison in _walk(filters)):
            frontmatter = await self._read_frontmatter(snapshot)

        def match_pages(comparison: Comparison) -> Sequence[str]:
            return [page for page, values in frontmatter.items() if matches(comparison, values)]

        # A range looks at every page, which takes long enough to keep others waiting.
        return await asyncio.to_thread(compile_filter, filters, match_pages)

    async def _read_frontmatter(self, snapshot: Snapshot) -> _Frontmatter:
        if snapshot.generation.commit_id == self._commit:
            return self._frontmatter
        rows = await snapshot.rows("pages", columns=["page_id", "frontmatter"])
        self._frontmatter = {
            page: _read_values(text)
            for page, text in zip(rows["page_id"].to_pylist(), rows["frontmatter"].to_pylist(), strict=True)
        }
        self._commit = snapshot.generation.commit_id
        return self._frontmatter


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


def _read_values(text: str) -> dict[str, Any]:
    values = json.loads(text)
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
