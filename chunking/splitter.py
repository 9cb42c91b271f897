"""Cuts the sections of a page into passages that fit the embedder's budget."""

from collections.abc import Sequence
from dataclasses import dataclass

from chunking.atoms import rank_borders, read_atoms
from chunking.borders import cut_run
from chunking.lines import LineIndex
from chunking.outline import OutlineEntry
from chunking.passages import Passage, PassageWriter
from chunking.sizes import Sizer
from chunking.structure import Structure

# Sizes within a line are estimates, so a piece may turn out too large and is cut again with less room.
_ATTEMPTS = 24
_LESS_ROOM = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    """A passage to be counted; `room` is what was reckoned for its text, None if it is a whole section."""

    passage: Passage
    room: float | None = None
    attempt: int = 0


class Splitter:
    """Cuts sections at the borders that `cut_run` chooses, and counts the results exactly."""

    def __init__(
        self, text: str, lines: LineIndex, structure: Structure, sizer: Sizer, writer: PassageWriter
    ) -> None:
        self._text = text
        self._lines = lines
        self._structure = structure
        self._sizer = sizer
        self._writer = writer

    def split(self, outline: Sequence[OutlineEntry]) -> list[tuple[Passage, int]]:
        """Returns the passages with their tokens in the order of the page, one at least of each section."""
        drafts = [self._writer.draft(index, entry) for index, entry in enumerate(outline)]
        tries = [_Try(passage=self._writer.write(draft, draft.start, draft.end)) for draft in drafts]
        done: list[tuple[Passage, int]] = []
        while tries:
            too_large: list[tuple[_Try, float]] = []
            for attempt, (excess, tokens) in zip(tries, self._weigh(tries), strict=True):
                if excess <= 1 or attempt.attempt == _ATTEMPTS:
                    done.append((attempt.passage, tokens))
                else:
                    too_large.append((attempt, excess))
            tries = [part for attempt, excess in too_large for part in self._cut(attempt, excess)]
        return sorted(done, key=lambda item: item[0].start)

    def _weigh(self, tries: Sequence[_Try]) -> list[tuple[float, int]]:
        """Returns the share of the budget that each passage takes, and its tokens (0 if not counted)."""
        budget = self._sizer.max_tokens
        texts = [attempt.passage.embedded_text for attempt in tries]
        countable = [index for index, text in enumerate(texts) if len(text) <= 2 * self._sizer.max_chars]
        counts = dict(zip(countable, self._sizer.count([texts[index] for index in countable]), strict=True))
        weights: list[tuple[float, int]] = []
        for index, attempt in enumerate(tries):
            length = attempt.passage.end - attempt.passage.start
            tokens = counts.get(index)
            share = len(texts[index]) / budget if tokens is None else tokens / budget
            weights.append((max(share, length / self._sizer.max_chars), tokens or 0))
        return weights

    def _cut(self, attempt: _Try, excess: float) -> list[_Try]:
        draft = attempt.passage.draft
        if attempt.room is None:
            draft = self._writer.shorten(draft)
            taken = float(self._sizer.measure([draft.prefix])[0]) + self._sizer.special_tokens
            room = self._sizer.max_tokens - taken
        else:
            room = attempt.room / min(excess, 2) * _LESS_ROOM
        room = max(room, 1.0)
        return [
            _Try(passage=self._writer.write(draft, start, end), room=room, attempt=attempt.attempt + 1)
            for start, end in self._find_pieces(attempt.passage, draft.body_start, room)
        ]

    def _find_pieces(self, passage: Passage, body_start: int, room: float) -> list[tuple[int, int]]:
        start, end = passage.start, passage.end
        atoms = read_atoms(
            self._text, start, end, body_start, self._lines, self._structure, self._sizer, room
        )
        surplus = self._writer.measure_headers(atoms.starts)
        ranks = rank_borders(atoms, self._text, end)
        pieces = cut_run(atoms.sizes, ranks, surplus, room)
        ranges = (
            self._writer.trim(int(atoms.starts[first]), int(atoms.ends[last - 1])) for first, last in pieces
        )
        return [(first, last) for first, last in ranges if first < last]
