"""Which unit of a later text is which of the earlier one.

Equal units are paired by what surrounds them: from both ends of a range, then at units that are in it as
often on either side (patience diff, Bram Cohen, which takes those that are there once), then between those.
Edited units are paired by likeness, and only where they are asked for.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from retrieval.repair.likeness import count_words, weigh_words

# Ranges are divided at most so often; what is left in one by then stays unpaired.
_MAX_DEPTH = 12
_MAX_PAIRS = 4_096
"""Pairs of edited units that are compared in one gap at most."""
_LIKE = 0.5
"""Least likeness (Dice, by characters of words) of an edited unit."""


def pair_equal(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Returns pairs of equal units by the index of the old one; they never cross each other."""
    pairs: dict[int, int] = {}
    waiting = [(0, len(old), 0, len(new), 0)]
    while waiting:
        first, last, low, high, depth = waiting.pop()
        first, last, low, high = _pair_ends(old, new, (first, last, low, high), pairs)
        if first == last or low == high or depth == _MAX_DEPTH:
            continue
        anchors = _find_anchors(old, new, (first, last, low, high))
        pairs.update(anchors)
        borders = [(first - 1, low - 1), *anchors, (last, high)]
        if anchors:
            waiting += [
                (before + 1, after, beneath + 1, above, depth + 1)
                for (before, beneath), (after, above) in pairwise(borders)
            ]
    return pairs


def pair_edited(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Returns pairs of like units of a short gap, as many characters as possible, without crossings."""
    if not old or not new or len(old) * len(new) > _MAX_PAIRS:
        return {}
    likeness = _measure(old, new)
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            paired = best[i + 1][j + 1] + likeness[i][j] if likeness[i][j] else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs, i, j = {}, 0, 0
    while i < len(old) and j < len(new):
        if likeness[i][j] and best[i][j] == best[i + 1][j + 1] + likeness[i][j]:
            pairs[i] = j
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _pair_ends(
    old: Sequence[str], new: Sequence[str], bounds: tuple[int, int, int, int], pairs: dict[int, int]
) -> tuple[int, int, int, int]:
    """Pairs equal units at both ends of a range; returns what is left of it."""
    first, last, low, high = bounds
    while first < last and low < high and old[first] == new[low]:
        pairs[first] = low
        first, low = first + 1, low + 1
    while first < last and low < high and old[last - 1] == new[high - 1]:
        last, high = last - 1, high - 1
        pairs[last] = high
    return first, last, low, high


def _find_anchors(
    old: Sequence[str], new: Sequence[str], bounds: tuple[int, int, int, int]
) -> list[tuple[int, int]]:
    """Returns the longest row of pairs, in order on both sides, of units that either range has as often."""
    first, last, low, high = bounds
    before, after = _list_places(old, first, last), _list_places(new, low, high)
    pairs = [
        pair
        for unit, places in before.items()
        if len(places) == len(after.get(unit, ()))
        for pair in zip(places, after[unit], strict=True)
    ]
    return _longest_increasing(sorted(pairs))


def _list_places(units: Sequence[str], first: int, last: int) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place in range(first, last):
        places.setdefault(units[place], []).append(place)
    return places


def _longest_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the longest subsequence whose second numbers increase (patience sorting)."""
    tops: list[int] = []
    holders: list[int] = []
    previous: list[int] = []
    for position, (_, value) in enumerate(pairs):
        pile = bisect_left(tops, value)
        previous.append(holders[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [value]
        holders[pile : pile + 1] = [position]
    row, position = [], holders[-1] if holders else -1
    while position >= 0:
        row.append(pairs[position])
        position = previous[position]
    return row[::-1]


def _measure(old: Sequence[str], new: Sequence[str]) -> list[list[float]]:
    """Returns for each pair the characters that are alike, 0.0 where the two are not like each other."""
    before, after = [count_words(unit) for unit in old], [count_words(unit) for unit in new]
    sizes, lengths = [weigh_words(words) for words in before], [weigh_words(words) for words in after]
    measured = []
    for words, size in zip(before, sizes, strict=True):
        shared = [weigh_words(words & others) for others in after]
        measured.append(
            [
                float(common) if 2 * common >= _LIKE * (size + length) and common else 0.0
                for common, length in zip(shared, lengths, strict=True)
            ]
        )
    return measured
