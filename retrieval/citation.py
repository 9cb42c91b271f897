"""Citations: where an excerpt stands, in a form that a reader can open and a machine can check."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote

from chunking.embedded import hash_text
from chunking.model import Span
from retrieval.excerpt import Excerpt
from retrieval.live import Look
from retrieval.pack import Citation, Freshness
from retrieval.repair import Found

_PATH = "{path}"
_EPOCH = datetime(1970, 1, 1)
_FIRST = (datetime.min - _EPOCH).total_seconds()
_LAST = (datetime.max.replace(microsecond=0) - _EPOCH).total_seconds()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a text stands, and in which version of its page."""

    path: str
    title: str
    heading_path: tuple[str, ...]
    anchor: str
    span: Span
    page_sha256: str
    modified: float


def cite(excerpt: Excerpt, url_base: str, freshness: Freshness) -> Citation:
    """Returns the citation of `excerpt` where the index has it."""
    source = excerpt.passage.best
    place = _Place(
        path=source.path,
        title=source.title,
        heading_path=source.heading_path,
        anchor=source.anchor,
        span=excerpt.span,
        page_sha256=source.page_sha256,
        modified=source.modified,
    )
    return _write(place, excerpt.text, url_base, freshness)


def cite_found(found: Found, path: str, title: str, look: Look, url_base: str) -> Citation:
    """Returns the citation of a passage where it stands in a file that has changed since it was indexed."""
    place = _Place(
        path=path,
        title=title,
        heading_path=found.section.heading_path,
        anchor=found.section.anchor,
        span=found.span,
        page_sha256=look.sha256,
        modified=look.modified,
    )
    return _write(place, found.text, url_base, "repaired")


def _write(place: _Place, text: str, url_base: str, freshness: Freshness) -> Citation:
    return Citation(
        path=place.path,
        title=place.title,
        heading_path=place.heading_path,
        anchor=place.anchor,
        url=page_url(url_base, place.path, place.anchor),
        line_start=place.span.line_start,
        line_end=place.span.line_end,
        char_start=place.span.char_start,
        char_end=place.span.char_end,
        text_sha256=hash_text(text),
        page_sha256=place.page_sha256,
        modified=format_time(place.modified),
        commit=None,
        freshness=freshness,
    )


def page_url(base: str, path: str, anchor: str) -> str:
    """Returns the address of a page, at `anchor` if there is one, percent-encoded.

    The path goes where `{path}` stands in `base`, and to its end if it stands nowhere.
    """
    pattern = base if _PATH in base else base + _PATH
    fragment = f"#{quote(anchor)}" if anchor else ""
    return pattern.replace(_PATH, quote(path)) + fragment


def format_time(seconds: float) -> str:
    """Returns seconds since 1970 as ISO 8601 in UTC, to the second; times beyond its years as the nearest."""
    moment = _EPOCH + timedelta(seconds=min(max(seconds, _FIRST), _LAST))
    return moment.isoformat(timespec="seconds") + "Z"
