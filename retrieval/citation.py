"""Citations: where an excerpt stands, in a form that a reader can open and a machine can check."""

import hashlib
from datetime import UTC, datetime
from urllib.parse import quote

from retrieval.excerpt import Excerpt
from retrieval.pack import AlsoAt, Citation

_PATH = "{path}"


def cite(excerpt: Excerpt, url_base: str) -> Citation:
    """Returns the citation of `excerpt`, not yet held against the live file."""
    source, span = excerpt.passage.best, excerpt.span
    return Citation(
        path=source.path,
        title=source.title,
        heading_path=source.heading_path,
        anchor=source.anchor,
        url=page_url(url_base, source.path, source.anchor),
        line_start=span.line_start,
        line_end=span.line_end,
        char_start=span.char_start,
        char_end=span.char_end,
        text_sha256=hashlib.sha256(excerpt.text.encode()).hexdigest(),
        page_sha256=source.page_sha256,
        modified=format_time(source.modified),
        commit=None,
        freshness="unknown",
    )


def list_other_places(excerpt: Excerpt) -> tuple[AlsoAt, ...]:
    """Returns where else the text of `excerpt` stands."""
    height = excerpt.span.line_end - excerpt.span.line_start
    return tuple(
        AlsoAt(
            path=twin[0].path,
            line_start=twin[0].span.line_start,
            # A cut excerpt touches as many lines there as here.
            line_end=min(twin[-1].span.line_end, twin[0].span.line_start + height),
        )
        for twin in excerpt.passage.twins
    )


def page_url(base: str, path: str, anchor: str) -> str:
    """Returns the address of a page, at `anchor` if there is one, percent-encoded.

    The path goes where `{path}` stands in `base`, and to its end if it stands nowhere.
    """
    pattern = base if _PATH in base else base + _PATH
    fragment = f"#{quote(anchor)}" if anchor else ""
    return pattern.replace(_PATH, quote(path)) + fragment


def format_time(seconds: float) -> str:
    """Returns seconds since 1970 as ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
