"""From candidates to passages: bare headings dropped, twins merged, neighbours joined."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.candidate import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Adjoining chunks of one section, in the order of the page.

    `best` is the one that ranked first and gives the passage its score. `twins` are runs of chunks elsewhere
    with the same texts.
    """

    best: Candidate
    chunks: tuple[Candidate, ...]
    twins: tuple[tuple[Candidate, ...], ...]

    @property
    def joined(self) -> bool:
        """Whether the text between its chunks has to be read from the page."""
        return len(self.chunks) > 1


def select_passages(candidates: Sequence[Candidate], *, k: int) -> tuple[Passage, ...]:
    """Returns the passages that the first `k` distinct texts make, best first.

    `candidates` are distinct chunks, best first. Chunks that adjoin each other make one passage, so there may
    be fewer than `k`.
    """
    return _join_neighbours(_merge_twins(_drop_bare_headings(candidates))[:k])


def _drop_bare_headings(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Leaves out headings without text where something below them was found too."""
    return [
        candidate
        for candidate in candidates
        if not (candidate.heading_only and any(_is_below(other, candidate) for other in candidates))
    ]


def _is_below(other: Candidate, heading: Candidate) -> bool:
    if other.page_id != heading.page_id or other.chunk_id == heading.chunk_id:
        return False
    depth = len(heading.heading_path)
    deeper = len(other.heading_path) > depth or not other.heading_only
    return deeper and other.heading_path[:depth] == heading.heading_path


def _merge_twins(candidates: Sequence[Candidate]) -> list[Passage]:
    """Returns one passage for each distinct text, where its best candidate was."""
    by_text: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_text.setdefault(candidate.text_sha256, []).append(candidate)
    return [
        Passage(
            best=first,
            chunks=(first,),
            twins=tuple((twin,) for twin in sorted(others, key=lambda twin: (twin.path, twin.ordinal))),
        )
        for first, *others in by_text.values()
    ]


def _join_neighbours(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Returns the passages with adjoining ones made one, each where its best part was."""
    runs: list[list[int]] = []
    for rank in sorted(range(len(passages)), key=lambda rank: _position(passages[rank].best)):
        if runs and _continues(passages[runs[-1][-1]], passages[rank]):
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return tuple(
        Passage(
            best=passages[min(run)].best,
            chunks=tuple(passages[rank].best for rank in run),
            twins=tuple(
                tuple(part for (part,) in twin)
                for twin in zip(*(passages[rank].twins for rank in run), strict=True)
            ),
        )
        for run in sorted(runs, key=min)
    )


def _position(candidate: Candidate) -> tuple[str, int]:
    return candidate.page_id, candidate.ordinal


def _continues(earlier: Passage, later: Passage) -> bool:
    """Tells whether `later` goes on where `earlier` stops, in every place where their texts are."""
    if len(earlier.twins) != len(later.twins):
        return False
    places = zip((earlier.chunks, *earlier.twins), (later.chunks, *later.twins), strict=True)
    return all(_adjoin(first[-1], second[0]) for first, second in places)


def _adjoin(first: Candidate, second: Candidate) -> bool:
    same_section = first.page_id == second.page_id and first.section == second.section
    return same_section and first.ordinal + 1 == second.ordinal
