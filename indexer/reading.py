"""From a scanned file to a parsed page."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunking import DecodedText, Page, PageIssue, UndecodablePage, decode, parse_page
from chunking.options import ChunkingOptions, TokenCounter
from indexer.scan import ScannedFile, describe_error, read_page
from retrieval.language import find_language

UTF8 = "utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFile:
    """A page's file as it was read, with the time of the reading on the clock of the file times."""

    file: ScannedFile
    page_sha256: str
    seen_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedPage:
    """A page ready to be written; `issues` are its own and those of its encoding."""

    source: PageFile
    page: Page
    text: str
    encoding: str
    language: str
    issues: tuple[PageIssue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFailure:
    """A page that cannot be used as it is now; what the index knew of it stays."""

    path: str
    issue: PageIssue


def hash_bytes(raw: bytes) -> str:
    """Returns the SHA-256 of a page's bytes, hexadecimal."""
    return hashlib.sha256(raw).hexdigest()


def read_file(
    root: Path,
    file: ScannedFile,
    *,
    seen_ns: int,
    options: ChunkingOptions,
    language: str,
    counter: TokenCounter,
) -> ParsedPage | PageFailure:
    """Reads, decodes and parses a page below `root`; `seen_ns` must be a time before the reading.

    `language` is the wiki's setting.
    """
    try:
        raw = read_page(root, file.path)
        decoded = decode(raw)
    except OSError as error:
        return PageFailure(path=file.path, issue=access_issue(error))
    except UndecodablePage as error:
        return PageFailure(path=file.path, issue=PageIssue(line=None, code=error.code, detail=str(error)))
    source = PageFile(file=file, page_sha256=hash_bytes(raw), seen_ns=seen_ns)
    return _parse(source, decoded, options, language, counter)


def restore_page(
    row: Mapping[str, Any], options: ChunkingOptions, *, language: str, counter: TokenCounter
) -> ParsedPage:
    """Parses a page again from its row in the index, for one whose file cannot be read now."""
    file = ScannedFile(row["path"], row["size"], row["mtime_ns"], ctime_ns=row["mtime_ns"])
    source = PageFile(file=file, page_sha256=row["page_sha256"], seen_ns=row["seen_ns"])
    decoded = DecodedText(text=row["text"], encoding=row["encoding"])
    return _parse(source, decoded, options, language, counter)


def access_issue(error: OSError) -> PageIssue:
    """Returns the issue of a file that cannot be read."""
    code, detail = describe_error(error)
    return PageIssue(line=None, code=code, detail=detail)


def _parse(
    source: PageFile, decoded: DecodedText, options: ChunkingOptions, language: str, counter: TokenCounter
) -> ParsedPage:
    page = parse_page(source.file.path, decoded.text, options=options, counter=counter)
    issues = page.issues
    if decoded.encoding != UTF8:
        detail = f"read as {decoded.encoding}; save it as UTF-8 to be sure of every character"
        issues = (PageIssue(line=None, code="encoding-fallback", detail=detail), *issues)
    return ParsedPage(
        source=source,
        page=page,
        text=decoded.text,
        encoding=decoded.encoding,
        language=_find_language(page, language),
        issues=issues,
    )


def _find_language(page: Page, setting: str) -> str:
    body = "\n".join(chunk.text for chunk in page.chunks)
    return find_language(page.frontmatter.values, body, setting=setting)
