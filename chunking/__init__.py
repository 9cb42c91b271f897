"""Markdown text to pages, sections, chunks and links, without any I/O."""

from chunking.decode import DecodedText, UndecodablePage, decode
from chunking.errors import WikitrailError
from chunking.headings import clean_heading, slugify
from chunking.lines import LineIndex
from chunking.model import (
    BlockAnchor,
    Chunk,
    Dialect,
    Frontmatter,
    Link,
    LinkKind,
    Page,
    PageIssue,
    Scalar,
    Section,
    Span,
)
from chunking.options import CHUNKER_VERSION, ChunkingOptions, TokenCounter
from chunking.page import parse_page
from chunking.targets import is_external

__all__ = [
    "CHUNKER_VERSION",
    "BlockAnchor",
    "Chunk",
    "ChunkingOptions",
    "DecodedText",
    "Dialect",
    "Frontmatter",
    "LineIndex",
    "Link",
    "LinkKind",
    "Page",
    "PageIssue",
    "Scalar",
    "Section",
    "Span",
    "TokenCounter",
    "UndecodablePage",
    "WikitrailError",
    "clean_heading",
    "decode",
    "is_external",
    "parse_page",
    "slugify",
]
