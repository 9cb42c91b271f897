"""From parsed pages to rows of the index."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from chunking import Chunk
from indexer.reading import ParsedPage
from retrieval import schema
from retrieval.analyzer import chunk_terms
from retrieval.outline import Outline, encode_outline
from retrieval.predicates import attributes


def page_id(path: str) -> str:
    """Returns the id of a page: a hash of its path, so that no path ever stands in a predicate."""
    return hashlib.sha256(path.encode("utf-8")).hexdigest()[:32]


def page_rows(pages: Iterable[ParsedPage]) -> pa.Table:
    """Returns the rows of the table `pages`."""
    return pa.Table.from_pylist([_page_row(page) for page in pages], schema=schema.PAGES)


def chunk_rows(pages: Iterable[ParsedPage]) -> pa.Table:
    """Returns the rows of the table `chunks`."""
    rows = [row for parsed in pages for row in _chunk_rows(parsed)]
    return pa.Table.from_pylist(rows, schema=schema.CHUNKS)


def _page_row(parsed: ParsedPage) -> dict[str, Any]:
    page, source = parsed.page, parsed.source
    return {
        **_filter_columns(parsed),
        "title": page.title,
        "aliases": page.aliases,
        "frontmatter": json.dumps(dict(page.frontmatter.values), ensure_ascii=False),
        "size": source.file.size,
        "mtime_ns": source.file.mtime_ns,
        "seen_ns": source.seen_ns,
        "page_sha256": source.page_sha256,
        "encoding": parsed.encoding,
        "language": parsed.language,
        "text": parsed.text,
        "outline": encode_outline(Outline(sections=page.sections, blocks=page.blocks)),
        "chunk_count": len(page.chunks),
    }


def _chunk_rows(parsed: ParsedPage) -> list[dict[str, Any]]:
    terms = [_terms(parsed, chunk) for chunk in parsed.page.chunks]
    of_page = sum(map(len, terms))
    return [
        {**_chunk_row(parsed, chunk), "terms": " ".join(own), "page_terms": of_page}
        for chunk, own in zip(parsed.page.chunks, terms, strict=True)
    ]


def _chunk_row(parsed: ParsedPage, chunk: Chunk) -> dict[str, Any]:
    return {
        **_filter_columns(parsed),
        "chunk_id": chunk.chunk_id,
        "title": parsed.page.title,
        "heading_path": chunk.heading_path,
        "anchor": chunk.anchor,
        "ordinal": chunk.ordinal,
        "section": chunk.section,
        "line_start": chunk.span.line_start,
        "line_end": chunk.span.line_end,
        "char_start": chunk.span.char_start,
        "char_end": chunk.span.char_end,
        "text": chunk.text,
        "text_sha256": chunk.text_sha256,
        "page_sha256": parsed.source.page_sha256,
        "tokens": chunk.tokens,
        "heading_only": chunk.heading_only,
    }


def _terms(parsed: ParsedPage, chunk: Chunk) -> Sequence[str]:
    page = parsed.page
    return chunk_terms(
        title=page.frontmatter.title or "",
        heading_path=chunk.heading_path,
        file_name=page.path.rpartition("/")[2],
        body=chunk.text,
        table_header=chunk.table_header,
        language=parsed.language,
    )


def _filter_columns(parsed: ParsedPage) -> dict[str, Any]:
    page = parsed.page
    return {
        "page_id": page_id(page.path),
        "path": page.path,
        "tags": page.tags,
        "attrs": attributes(page.frontmatter.values),
        "modified": parsed.source.file.mtime_ns / 1e9,
    }
