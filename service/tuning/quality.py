"""The quality of an answer to a label, from 0 to 1.

It is nDCG@10 of the pages; where a section of a page is meant, the mean of that and of 1 / rank of its first
passage, 0 from the eleventh on. Pages alone would let weights grow that find the page and lose the passage.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import ir_measures
from ir_measures import nDCG

from retrieval.candidate import Candidate
from service.tuning.labels import Label, Place

_CUT = 10

Qualities = Mapping[str, float]
"""By the key of a label."""


def measure_quality(rankings: Sequence[tuple[Label, Sequence[Candidate]]]) -> Qualities:
    """Returns the quality of each label's ranking."""
    of_pages = zip(rankings, _measure_pages(rankings), strict=True)
    return {label.key: _combine(pages, label, candidates) for (label, candidates), pages in of_pages}


def mean(qualities: Qualities) -> float:
    """Returns the mean over all labels."""
    return fmean(qualities.values())


def _measure_pages(rankings: Sequence[tuple[Label, Sequence[Candidate]]]) -> list[float]:
    judged = [
        ir_measures.Qrel(str(number), page, 1)
        for number, (label, _) in enumerate(rankings)
        for page in label.pages
    ]
    found = [
        ir_measures.ScoredDoc(str(number), page, float(-rank))
        for number, (_, candidates) in enumerate(rankings)
        for rank, page in enumerate(_first_pages(candidates))
    ]
    values = [0.0] * len(rankings)
    for metric in ir_measures.iter_calc([nDCG @ _CUT], judged, found):
        values[int(metric.query_id)] = metric.value
    return values


def _first_pages(candidates: Iterable[Candidate]) -> list[str]:
    return list(dict.fromkeys(candidate.path for candidate in candidates))[:_CUT]


def _combine(pages: float, label: Label, candidates: Sequence[Candidate]) -> float:
    sections = [place for place in label.places if place.heading_path]
    if not sections:
        return pages
    ranks = enumerate(candidates[:_CUT], start=1)
    first = next((rank for rank, found in ranks if any(_is_in(found, place) for place in sections)), None)
    return (pages + (1 / first if first else 0.0)) / 2


def _is_in(candidate: Candidate, place: Place) -> bool:
    above = candidate.heading_path[: len(place.heading_path)]
    return candidate.path == place.path and above == place.heading_path
