"""What can be verified, and what can come of it. Lines and characters are those of `chunking.model.Span`."""

from dataclasses import dataclass
from typing import Literal

from chunking.model import Span

Status = Literal["ok", "moved", "changed", "deleted", "unknown"]
"""It stands where it is cited; it stands elsewhere; its page says it no more; its page is gone, and no other
says it; or that cannot be told."""

MAX_CLAIMS = 100
"""Citations of one request, and quotations of a text that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A citation to verify; as much of it as is known.

    The place is a range of characters, else of lines, else the whole page. What stands there is told by
    `text`, `text_sha256` or, for the page as a whole, `page_sha256`.
    """

    path: str
    text: str | None = None
    text_sha256: str | None = None
    page_sha256: str | None = None
    char_start: int | None = None
    char_end: int | None = None
    line_start: int | None = None
    line_end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A range of a page as it is now."""

    path: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came of one citation or quotation, in words too.

    `place` is where it stands now; of one that has changed, where something like it stands, if anywhere.
    """

    status: Status
    detail: str
    place: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A place that a text refers to, as written: a path, a name or an address, and a part of that page."""

    target: str
    heading: str | None = None
    line_start: int | None = None
    line_end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """A quotation in a text, on `line` of it, and the references near it, the likeliest first."""

    text: str
    line: int
    references: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteVerdict:
    """What came of a quotation. `cited` is the reference that the verdict is about, if it has any."""

    quotation: Quotation
    cited: Reference | None
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class TextVerdict:
    """What came of the quotations of a text, in its order; `left_out` counts those beyond `MAX_CLAIMS`."""

    quotes: tuple[QuoteVerdict, ...]
    left_out: int
