"""Verifying a quotation: in the pages that are referred to near it, then in those that its words lead to."""

import re
from collections.abc import Sequence

from chunking.headings import clean_heading, slugify
from chunking.model import Section
from retrieval.verification.claims import ABSENT, describe_lines, describe_place
from retrieval.verification.folding import fold_blanks
from retrieval.verification.library import Library, LivePage
from retrieval.verification.model import Place, Quotation, QuoteVerdict, Reference, Verdict
from retrieval.verification.references import PageNames

_OMISSION = re.compile(r"\s*(?:\[\s?(?:…|\.\.\.)\s?\]|…|\.\.\.)\s*")
_SHORTEST_PART = 8
_WIDEST_OMISSION = 5_000
"""Characters of the page that an omission may stand for."""


def check_quote(quotation: Quotation, names: PageNames, library: Library) -> QuoteVerdict | None:
    """Returns the verdict where a page that is referred to says what is quoted; None where none does."""
    elsewhere: QuoteVerdict | None = None
    for reference in quotation.references:
        for path in names.resolve(reference.target):
            page = library.open(path)
            if not isinstance(page, LivePage):
                continue
            verdict = _check_page(quotation, reference, page)
            if verdict is not None and verdict.status == "ok":
                return QuoteVerdict(quotation=quotation, cited=reference, verdict=verdict)
            if verdict is not None and elsewhere is None:
                elsewhere = QuoteVerdict(quotation=quotation, cited=reference, verdict=verdict)
    return elsewhere


def trace_quote(
    quotation: Quotation, names: PageNames, library: Library, candidates: Sequence[str]
) -> QuoteVerdict:
    """Returns the verdict for a quotation that no page says that is referred to."""
    cited = quotation.references[0] if quotation.references else None
    for path in candidates:
        page = library.open(path)
        place = find_quote(page, quotation.text, 0) if isinstance(page, LivePage) else None
        if place is not None:
            return QuoteVerdict(quotation=quotation, cited=cited, verdict=_found_elsewhere(place, cited))
    if cited is None:
        detail = "no page is cited, and none was found that says this"
        return QuoteVerdict(quotation=quotation, cited=None, verdict=Verdict(status="unknown", detail=detail))
    return QuoteVerdict(quotation=quotation, cited=cited, verdict=_refute(quotation, cited, names, library))


def find_quote(page: LivePage, quoted: str, near: int) -> Place | None:
    """Returns where a page says what is quoted, word for word.

    Blanks, line ends and the form of quotation marks do not count, nor a sign that closes the sentence around
    the quotation; an ellipsis may stand for something left out.
    """
    folded = fold_blanks(quoted.strip())
    place = page.find_folded(folded, near) or page.find_folded(folded.rstrip(".,;:!?"), near)
    return place or _find_parts(page, [part for part in _OMISSION.split(folded) if part], near)


def _find_parts(page: LivePage, parts: Sequence[str], near: int) -> Place | None:
    """Returns the range that begins with the first part and ends with the last, all in their order."""
    if len(parts) < 2 or min(map(len, parts)) < _SHORTEST_PART:
        return None
    first = page.find_folded(parts[0], near)
    if first is None:
        return None
    end = first.span.char_end
    for part in parts[1:]:
        place = page.find_folded(part, end)
        if place is None or not end <= place.span.char_start <= end + _WIDEST_OMISSION:
            return None
        end = place.span.char_end
    return page.place(first.span.char_start, end)


def _check_page(quotation: Quotation, reference: Reference, page: LivePage) -> Verdict | None:
    start, end = _cited_range(reference, page)
    place = find_quote(page, quotation.text, start)
    if place is None:
        return None
    if start <= place.span.char_start and place.span.char_end <= end:
        return Verdict(status="ok", detail=f"the page says this in {describe_lines(place)}", place=place)
    return Verdict(status="moved", detail=f"it stands in {describe_lines(place)}", place=place)


def _cited_range(reference: Reference, page: LivePage) -> tuple[int, int]:
    """Returns the characters of the part of a page that is referred to; an unknown part has none."""
    if reference.line_start is not None and reference.line_end is not None:
        return page.lines.start_of(reference.line_start), page.lines.start_of(reference.line_end + 1)
    if reference.heading is None or not page.sections:
        return 0, len(page.text)
    sections = page.sections
    for position, section in enumerate(sections):
        if _is_called(section, reference.heading):
            below = (other for other in sections[position + 1 :] if other.level <= section.level)
            following = next(below, None)
            return section.span.char_start, following.span.char_start if following else len(page.text)
    return 0, 0


def _is_called(section: Section, heading: str) -> bool:
    last = heading.rpartition("#")[2]
    if section.anchor and section.anchor in (heading, slugify(last)):
        return True
    return bool(section.heading_path) and clean_heading(section.heading_path[-1]) == clean_heading(last)


def _found_elsewhere(place: Place, cited: Reference | None) -> Verdict:
    if cited is None:
        detail = f"no page is cited; {describe_place(place)} says this"
        return Verdict(status="ok", detail=detail, place=place)
    detail = f"it stands in {describe_place(place)}, not in what is cited"
    return Verdict(status="moved", detail=detail, place=place)


def _refute(quotation: Quotation, cited: Reference, names: PageNames, library: Library) -> Verdict:
    """Says what became of a quotation that was found nowhere, by the page that is cited first."""
    found = [library.open(path) for path in names.resolve(cited.target)]
    pages = [page for page in found if isinstance(page, LivePage)]
    if not pages:
        absences = [page for page in found if not isinstance(page, LivePage)]
        return ABSENT["unreadable" if "unreadable" in absences else absences[0]]
    for page in pages:
        place = page.find_edited(quotation.text, 0, len(quotation.text))
        if place is not None:
            detail = f"the page does not say this; something like it stands in {describe_lines(place)}"
            return Verdict(status="changed", detail=detail, place=place)
    return Verdict(status="changed", detail="the page does not say this")
