"""The tables of an index, as Arrow schemas: what the indexer writes is what a query reads.

The tables named in `TABLES` belong to a generation. `embeddings` (vectors by key), `unpublished_tokens`
(codes by key), `generations` (the log) and `head` (one row) stand outside of them.
"""

from typing import Literal, get_args

import pyarrow as pa

SCHEMA_VERSION = 3
"""Raised whenever a table below changes; an index of another version is built anew beside the old one."""

TableName = Literal[
    "pages", "chunks", "chunk_vectors", "page_vectors", "token_vectors", "links", "terms", "issues"
]

TABLES: tuple[TableName, ...] = get_args(TableName)

_text = pa.string()
_texts = pa.list_(pa.field("item", pa.string()))


def _required(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, nullable=False)


# Filters are applied before the top k of every lane, so each searched table carries the columns they name.
_FILTER_COLUMNS = [
    _required("page_id", _text),
    _required("path", _text),
    _required("tags", _texts),
    _required("attrs", _texts),
    _required("modified", pa.float64()),
]

PAGES = pa.schema(
    [
        *_FILTER_COLUMNS,
        _required("title", _text),
        _required("aliases", _texts),
        _required("frontmatter", _text),  # JSON object of scalars and lists of scalars
        _required("size", pa.int64()),
        _required("mtime_ns", pa.int64()),
        _required("seen_ns", pa.int64()),  # when the bytes were read: a younger mtime proves nothing
        _required("page_sha256", _text),
        _required("encoding", _text),
        _required("language", _text),
        _required("text", _text),
        _required("outline", _text),  # JSON: sections and block anchors
        _required("chunk_count", pa.int32()),
    ]
)

CHUNKS = pa.schema(
    [
        *_FILTER_COLUMNS,
        _required("chunk_id", _text),
        _required("title", _text),
        _required("heading_path", _texts),
        _required("anchor", _text),
        _required("ordinal", pa.int32()),
        _required("section", pa.int32()),
        _required("line_start", pa.int32()),
        _required("line_end", pa.int32()),
        _required("char_start", pa.int64()),
        _required("char_end", pa.int64()),
        _required("text", _text),
        _required("text_sha256", _text),
        _required("page_sha256", _text),
        _required("tokens", pa.int32()),
        _required("heading_only", pa.bool_()),
        _required("terms", _text),  # the analyzer's terms joined by one space, repetitions kept
        _required("page_terms", pa.int64()),  # how many of them all chunks of the page have together
    ]
)

LINKS = pa.schema(
    [
        _required("page_id", _text),
        _required("path", _text),
        _required("position", pa.int32()),  # 0, 1, ... in the order of the page
        _required("line", pa.int32()),
        _required("kind", _text),
        _required("target", _text),
        _required("page", _text),
        pa.field("heading", _text),
        pa.field("block", _text),
        pa.field("alias", _text),
        _required("heading_path", _texts),
        _required("status", _text),
        pa.field("target_path", _text),
        pa.field("target_heading_path", _texts),
        pa.field("target_line", pa.int32()),
        _required("candidates", _texts),
        _required("keys", _texts),  # names whose coming or going can change where the link leads
    ]
)

TERMS = pa.schema(
    [
        _required("term", _text),
        _required("document_frequency", pa.int64()),  # chunks that hold the term
        _required("page_frequency", pa.int64()),
    ]
)

TOKEN_VECTORS = pa.schema(
    [
        _required("page_id", _text),
        _required("chunk_id", _text),
        _required("embedding_key", _text),
        _required(
            "code", pa.binary()
        ),  # of the vectors of the chunk's tokens, in the form that the build names
    ]
)

TOKEN_CODES = pa.schema([_required("embedding_key", _text), _required("code", pa.binary())])

ISSUES = pa.schema(
    [
        _required("stage", _text),  # scan, read, page or embed: which part of a run finds it again
        _required("path", _text),
        pa.field("line", pa.int32()),
        _required("code", _text),
        _required("detail", _text),
        pa.field("chunk_id", _text),  # set where one chunk could not be embedded
    ]
)

WHOLE_WIKI = "."
"""The path of an issue that is not of one page: the embedding model gave up."""


def _vector(dimension: int) -> pa.Field:
    return _required("vector", pa.list_(pa.field("item", pa.float32()), dimension))


def chunk_vectors(dimension: int) -> pa.Schema:
    """Returns the schema of the table that holds one vector a chunk."""
    return pa.schema(
        [
            *_FILTER_COLUMNS,
            _required("chunk_id", _text),
            _required("embedding_key", _text),
            _vector(dimension),
        ]
    )


def page_vectors(dimension: int) -> pa.Schema:
    """Returns the schema of the table that holds one vector a page."""
    return pa.schema([*_FILTER_COLUMNS, _required("embedding_key", _text), _vector(dimension)])


def embeddings(dimension: int) -> pa.Schema:
    """Returns the schema of the vectors kept by embedding key, so that equal text is embedded once."""
    return pa.schema([_required("embedding_key", _text), _vector(dimension)])


def schema_of(table: TableName, dimension: int | None) -> pa.Schema:
    """Returns the schema of a generation's table; `dimension` is that of its vector space."""
    if table in ("chunk_vectors", "page_vectors"):
        if dimension is None:
            raise ValueError(f"{table} needs the dimension of a vector space")
        return chunk_vectors(dimension) if table == "chunk_vectors" else page_vectors(dimension)
    return {
        "pages": PAGES,
        "chunks": CHUNKS,
        "token_vectors": TOKEN_VECTORS,
        "links": LINKS,
        "terms": TERMS,
        "issues": ISSUES,
    }[table]
