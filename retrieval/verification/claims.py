"""Verifying a citation: at its place, in the rest of its page, in other pages."""

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice

from chunking.embedded import hash_text
from retrieval.verification.facts import Facts
from retrieval.verification.library import Absence, Library, LivePage
from retrieval.verification.model import Claim, Place, Verdict

_HASHED = 4_000_000
_LEAST_HASHED = 40
"""Characters that are hashed at most to find a text of which only the hash is known, and what a hash of fewer
counts for."""

ABSENT: dict[Absence, Verdict] = {
    "gone": Verdict(status="deleted", detail="the wiki has no such page any more"),
    "unreadable": Verdict(status="unknown", detail="the page cannot be read at the moment"),
    "no-text": Verdict(status="changed", detail="the page is no longer text"),
}
NOT_AT_HAND = Verdict(status="unknown", detail="the files of this wiki are not at hand")
TOO_LATE = Verdict(status="unknown", detail="the files of this wiki did not come in time")
TOO_MUCH = Verdict(
    status="unknown", detail="one request may not compare so much; ask again, and for this alone"
)
_NOTHING = Verdict(
    status="unknown", detail="nothing to compare: give `text`, `text_sha256` or `page_sha256` with it"
)
_FORGED = Verdict(status="changed", detail="the text given is not the one that `text_sha256` is of")
_OK = "the page says this at the cited place"


def check_place(claim: Claim, library: Library) -> Verdict | None:
    """Returns the verdict where the citation alone tells it; None where it has to be looked for."""
    if claim.text is None and claim.text_sha256 is None and claim.page_sha256 is None:
        return _NOTHING
    if claim.text is not None and claim.text_sha256 not in (None, hash_text(claim.text)):
        return _FORGED
    page = library.open(claim.path)
    if page == "unreadable":
        return ABSENT[page]
    if not isinstance(page, LivePage):
        return None
    place = _match(claim, page)
    if place is None:
        return None
    if _lines_agree(claim, place):
        return Verdict(status="ok", detail=_OK, place=place)
    return _moved(place, claim.path)


def trace(claim: Claim, library: Library, facts: Facts, candidates: Sequence[str]) -> Verdict:
    """Returns the verdict for a citation that does not hold at its place."""
    text = known_text(claim, facts)
    page = library.open(claim.path)
    if isinstance(page, LivePage):
        place = _find(claim, text, page)
        if place is not None:
            return _moved(place, claim.path)
    for path in (*_list_heirs(claim, facts), *candidates):
        other = library.open(path)
        if path != claim.path and isinstance(other, LivePage):
            place = _match(claim, other) or _find(claim, text, other)
            if place is not None:
                return _moved(place, claim.path)
    if not isinstance(page, LivePage):
        return ABSENT[page]
    return _describe_change(claim, text, page, facts)


def known_text(claim: Claim, facts: Facts) -> str | None:
    """Returns the text that was cited: as given, else as the index still holds it."""
    if claim.text is not None:
        return claim.text
    if claim.text_sha256 is not None and claim.text_sha256 in facts.texts:
        return facts.texts[claim.text_sha256]
    page = facts.pages.get(claim.path)
    if page is None or claim.char_start is None or claim.char_end is None:
        return None
    text = page.text[claim.char_start : claim.char_end]
    is_cited = hash_text(text) == claim.text_sha256 if claim.text_sha256 else page.sha256 == claim.page_sha256
    return text if is_cited and text else None


def _match(claim: Claim, page: LivePage) -> Place | None:
    """Returns the cited place if what is cited stands there."""
    if claim.char_start is not None and claim.char_end is not None:
        start, end = claim.char_start, claim.char_end
        text = page.text[start:end]
        fits = bool(text) and len(text) == end - start and _is_cited(claim, text, page)
        return page.place(start, end) if fits else None
    start, end = _cited_range(claim, page)
    if start >= end:
        return None
    if claim.text is not None:
        found = page.find_text(claim.text, start)
        is_inside = found is not None and start <= found.span.char_start and found.span.char_end <= end
        return found if is_inside else None
    fitting = (part for part in _trims(page, start, end) if _is_cited(claim, page.text[slice(*part)], page))
    part = next(fitting, None)
    return None if part is None else page.place(*part)


def _is_cited(claim: Claim, text: str, page: LivePage) -> bool:
    if claim.text is not None:
        return text == claim.text
    if claim.text_sha256 is not None:
        return hash_text(text) == claim.text_sha256
    return page.sha256 == claim.page_sha256


def _cited_range(claim: Claim, page: LivePage) -> tuple[int, int]:
    """Returns the characters of the cited lines, of the whole page if there are none."""
    if claim.line_start is None:
        return 0, len(page.text)
    last = claim.line_start if claim.line_end is None else claim.line_end
    return page.lines.start_of(claim.line_start), page.lines.start_of(last + 1)


def _trims(page: LivePage, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields a range of lines as a citation may mean it: without the blanks behind it, or whole."""
    trimmed = start + len(page.text[start:end].rstrip())
    if trimmed > start:
        yield start, trimmed
    if end > trimmed:
        yield start, end


def _lines_agree(claim: Claim, place: Place) -> bool:
    if claim.char_start is None:
        return True
    first, last = claim.line_start, claim.line_end
    return first in (None, place.span.line_start) and last in (None, place.span.line_end)


def _find(claim: Claim, text: str | None, page: LivePage) -> Place | None:
    """Returns where a page says what is cited, nearest to the cited place."""
    near = _cited_start(claim, page)
    if text is not None:
        return page.find_text(text, near)
    if claim.text_sha256 is None or claim.char_start is None or claim.char_end is None:
        return None
    return _find_hash(claim.text_sha256, claim.char_end - claim.char_start, page, near)


def _cited_start(claim: Claim, page: LivePage) -> int:
    return claim.char_start if claim.char_start is not None else _cited_range(claim, page)[0]


def _find_hash(sha256: str, length: int, page: LivePage, near: int) -> Place | None:
    """Looks for a text of this length and hash at the beginnings of lines, as most passages begin there."""
    if not 0 < length <= len(page.text):
        return None
    line = page.lines.line_of(near)
    around = merge(
        range(min(line, page.lines.count), 0, -1),
        range(line + 1, page.lines.count + 1),
        key=lambda line: abs(page.lines.start_of(line) - near),
    )
    for start in map(page.lines.start_of, islice(around, _HASHED // max(length, _LEAST_HASHED))):
        if hash_text(page.text[start : start + length]) == sha256:
            return page.place(start, start + length)
    return None


def _list_heirs(claim: Claim, facts: Facts) -> tuple[str, ...]:
    """Returns other pages with the bytes of the cited page, or with the cited passage."""
    found = [
        *facts.paths_by_page.get(claim.page_sha256 or "", ()),
        *facts.paths_by_text.get(claim.text_sha256 or "", ()),
    ]
    return tuple(dict.fromkeys(found))


def _describe_change(claim: Claim, text: str | None, page: LivePage, facts: Facts) -> Verdict:
    place = None if text is None else _find_rest(claim, text, page, facts)
    if place is None:
        return Verdict(status="changed", detail="the page no longer says this")
    detail = f"the page no longer says this; {describe_lines(place)} may be what became of it"
    return Verdict(status="changed", detail=detail, place=place)


def _find_rest(claim: Claim, text: str, page: LivePage, facts: Facts) -> Place | None:
    """Returns where an edited passage stands, by what stood around it if the index still knows that."""
    indexed, start, end = facts.pages.get(claim.path), claim.char_start, claim.char_end
    if indexed is not None and start is not None and end is not None and indexed.text[start:end] == text:
        return page.find_edited(indexed.text, start, end)
    return page.find_edited(text, 0, len(text))


def _moved(place: Place, cited_path: str) -> Verdict:
    where = describe_lines(place) if place.path == cited_path else describe_place(place)
    return Verdict(status="moved", detail=f"it stands in {where} now", place=place)


def describe_place(place: Place) -> str:
    """Returns a place as citations are written."""
    return f"{place.path}:{place.span.line_start}-{place.span.line_end}"


def describe_lines(place: Place) -> str:
    """Returns the lines of a place in words."""
    first, last = place.span.line_start, place.span.line_end
    return f"line {first}" if first == last else f"lines {first} to {last}"
