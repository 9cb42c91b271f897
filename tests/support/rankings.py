"""Rankings as they are written in tests: paths with lines, best first."""

import re
from collections.abc import Collection

from chunking.model import Span
from retrieval.ablation import Ablation
from retrieval.candidate import Candidate
from retrieval.ladder import Rung
from retrieval.pack import Citation, Evidence, Scores, Step
from retrieval.ranking import Ranking
from retrieval.request import EvidenceRequest
from retrieval.warnings import Level


class FakeRank:
    """Answers each query with the places it is given for it, and keeps what it was asked.

    A place is "path:first-last"; without lines it is the first one. In mode auto, queries of `weak` get to
    the level of a language model, all others stay at the first level.
    """

    def __init__(self, places: dict[str, list[str]], *, weak: Collection[str] = ()) -> None:
        self._places = places
        self._weak = weak
        self.asked: list[tuple[EvidenceRequest, Ablation]] = []

    async def __call__(self, request: EvidenceRequest, *, ablation: Ablation) -> Ranking:
        self.asked.append((request, ablation))
        found = enumerate(self._places.get(request.query, []))
        return Ranking(
            candidates=tuple(make_candidate(place, ordinal) for ordinal, place in found),
            rung=self._choose_rung(request),
            lanes=(),
        )

    def _choose_rung(self, request: EvidenceRequest) -> Rung:
        level: Level = "chunk" if request.mode == "auto" else request.mode
        steps = (Step(level=level, outcome="used", reason=None),)
        if request.mode == "auto" and request.query in self._weak:
            level = "llm"
            steps = (
                Step(level="chunk", outcome="weak", reason=None),
                Step(level="llm", outcome="used", reason=None),
            )
        return Rung(level=level, steps=steps, coverage=1.0)


def make_candidate(place: str, ordinal: int) -> Candidate:
    """Returns a candidate at a place."""
    path, first, last = _read_place(place)
    return Candidate(
        chunk_id=f"{place}#{ordinal}",
        page_id=path,
        path=path,
        title=path,
        heading_path=(),
        anchor="",
        ordinal=ordinal,
        section=0,
        span=Span(char_start=0, char_end=1, line_start=first, line_end=last),
        text="x",
        text_sha256=str(ordinal),
        page_sha256="",
        tokens=1,
        modified=0.0,
        heading_only=False,
    )


def make_evidence(path: str, text: str) -> Evidence:
    """Returns a passage of a page."""
    return Evidence(
        rank=1,
        chunk_ids=("c",),
        score=1.0,
        origin="direct",
        text=text,
        citation=Citation(
            path=path,
            title=path,
            heading_path=(),
            anchor="",
            url="/",
            line_start=1,
            line_end=1,
            char_start=0,
            char_end=len(text),
            text_sha256="",
            page_sha256="",
            modified="",
            commit=None,
            freshness="fresh",
        ),
        also_at=(),
        via=(),
        scores=Scores(),
    )


def _read_place(place: str) -> tuple[str, int, int]:
    found = re.fullmatch(r"(.+):(\d+)-(\d+)", place)
    return (found[1], int(found[2]), int(found[3])) if found else (place, 1, 1)
