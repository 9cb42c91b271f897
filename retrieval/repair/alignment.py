"""Where a range of an earlier text stands in a later one."""

from collections.abc import Iterator

from retrieval.repair.matching import pair_edited, pair_equal
from retrieval.repair.occurrences import find_last
from retrieval.repair.units import cut_units

_MAX_OCCURRENCES = 64
"""Places of a text that are looked at on either side of where it is expected."""


class Alignment:
    """Two versions of a text, and which unit of the later one is which of the earlier."""

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new
        self._old_units, self._new_units = cut_units(old), cut_units(new)
        self._pairs = pair_equal(self._old_units.keys, self._new_units.keys)
        self._sources = {later: earlier for earlier, later in self._pairs.items()}

    def find_unchanged(self, start: int, end: int) -> int | None:
        """Returns where `old[start:end]` begins in the new text, word for word; None if nowhere.

        Of several places it is the one nearest to where the text around it went, and never one that is
        another passage of the old text: a copy that was there before is not what was edited here.
        """
        text, own = self.old[start:end], self._old_units.touched_by(start, end)
        expected = self._expect(start)
        fitting = (
            place
            for place in self._occurrences(text, expected)
            if self._fits_borders(start, end, place, place + len(text))
            and self._stems_from(own, place, place + len(text))
        )
        return min(fitting, key=lambda place: abs(place - expected), default=None)

    def find_edited(self, start: int, end: int) -> tuple[int, int] | None:
        """Returns the range of the new text that holds what is left of `old[start:end]`, by whole lines.

        An end that lay within a line is that of a sentence. None where nothing is left.
        """
        own = self._old_units.touched_by(start, end)
        pairs = self._pair_edited(own)
        places = [pairs[unit] for unit in own if unit in pairs]
        if not places:
            return None
        first, last = self._new_units.starts[places[0]], self._new_units.ends[places[-1]]
        if _begins_line(self.old, start):
            first = _line_start(self.new, first)
        if _ends_line(self.old, end):
            last = _line_end(self.new, last)
        return first, last

    def find_line(self, start: int, end: int) -> int | None:
        """Returns where the line `old[start:end]` begins in the new text if it is there unchanged."""
        own = self._old_units.touched_by(start, end)
        places = [self._pairs[unit] for unit in own if unit in self._pairs]
        if not places or len(places) < len(own):
            return None
        return _line_start(self.new, self._new_units.starts[places[0]])

    def _pair_edited(self, own: range) -> dict[int, int]:
        """Pairs the units of a passage, edited ones with those that stand between the same neighbours."""
        pairs, unit = dict(self._pairs), own.start
        while unit < own.stop:
            if unit in pairs:
                unit += 1
                continue
            first, last = unit, unit
            while first > 0 and first - 1 not in self._pairs:
                first -= 1
            while last < len(self._old_units.keys) and last not in self._pairs:
                last += 1
            low = self._pairs[first - 1] + 1 if first else 0
            high = self._pairs.get(last, len(self._new_units.keys))
            found = pair_edited(self._old_units.keys[first:last], self._new_units.keys[low:high])
            pairs.update({first + earlier: low + later for earlier, later in found.items()})
            unit = last
        return pairs

    def _expect(self, start: int) -> int:
        """Returns where a place of the old text went, by the nearest unit before it that is still there."""
        unit = self._old_units.touched_by(start, len(self.old)).start
        while unit >= 0 and unit not in self._pairs:
            unit -= 1
        if unit < 0:
            return start
        return max(0, start - self._old_units.starts[unit] + self._new_units.starts[self._pairs[unit]])

    def _occurrences(self, text: str, expected: int) -> Iterator[int]:
        place = self.new.find(text, expected)
        for _ in range(_MAX_OCCURRENCES):
            if place < 0:
                break
            yield place
            place = self.new.find(text, place + 1)
        place = find_last(self.new, text, expected + len(text) - 1)
        for _ in range(_MAX_OCCURRENCES):
            if place < 0:
                break
            yield place
            place = find_last(self.new, text, place + len(text) - 1)

    def _fits_borders(self, start: int, end: int, new_start: int, new_end: int) -> bool:
        """Says whether a place begins and ends lines where the passage did: no more was written there."""
        return _begins_line(self.new, new_start) == _begins_line(self.old, start) and (
            _ends_line(self.new, new_end) == _ends_line(self.old, end)
        )

    def _stems_from(self, own: range, start: int, end: int) -> bool:
        sources = (self._sources.get(unit) for unit in self._new_units.touched_by(start, end))
        return all(source is None or source in own for source in sources)


def _begins_line(text: str, place: int) -> bool:
    return not text[_line_start(text, place) : place].strip()


def _ends_line(text: str, place: int) -> bool:
    return not text[place : _raw_line_end(text, place)].strip()


def _line_start(text: str, place: int) -> int:
    return max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1


def _line_end(text: str, place: int) -> int:
    """Returns the end of the line at `place`, without the blanks before it."""
    end = _raw_line_end(text, place)
    return place + len(text[place:end].rstrip())


def _raw_line_end(text: str, place: int) -> int:
    ends = [end for end in (text.find("\n", place), text.find("\r", place)) if end >= 0]
    return min(ends, default=len(text))
