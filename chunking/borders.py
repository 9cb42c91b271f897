"""Chooses where a run of atoms is cut."""

import numpy as np

from chunking.atoms import Integers
from chunking.sizes import Floats

_STRENGTH_BITS = 32
_LEAST_SHARE = 4
"""Where it can be chosen, no piece is smaller than the room divided by this."""


def cut_run(sizes: Floats, ranks: Integers, surplus: Floats, room: float) -> list[tuple[int, int]]:
    """Cuts a run at its highest border, and the halves likewise, until each piece fits into `room`.

    `ranks[i]` ranks the border before atom i; the bits above the lowest 32 are its strength, and 0 there
    forbids a cut as long as there is another one. `surplus[i]` is added to a piece that starts with atom i.
    Choosing the highest border anywhere, rather than filling pieces in turn, keeps borders where they are
    when something changes elsewhere. Returns index ranges (first, end) in order.
    """
    sums = np.append(0.0, np.cumsum(sizes))
    pieces: list[tuple[int, int]] = []
    open_ = [(0, len(sizes))]
    while open_:
        first, end = open_.pop()
        if end - first == 1 or sums[end] - sums[first] + surplus[first] <= room:
            pieces.append((first, end))
            continue
        border = _choose_border(sums, ranks, first, end, room)
        open_ += [(border, end), (first, border)]
    return pieces


def _choose_border(sums: Floats, ranks: Integers, first: int, end: int, room: float) -> int:
    least = room / _LEAST_SHARE
    low = max(int(np.searchsorted(sums, sums[first] + least)), first + 1)
    high = min(int(np.searchsorted(sums, sums[end] - least, side="right")) - 1, end - 1)
    middle = (sums[first] + sums[end]) / 2
    if low <= high:
        window = ranks[low : high + 1]
        highest = window.max()
        if highest >> _STRENGTH_BITS:
            return _nearest(sums, low + np.flatnonzero(window == highest), middle)
    inner = np.arange(first + 1, end)
    allowed = inner[ranks[first + 1 : end] >> _STRENGTH_BITS > 0]
    return _nearest(sums, allowed if len(allowed) else inner, middle)


def _nearest(sums: Floats, borders: Integers, middle: float) -> int:
    return int(borders[np.argmin(np.abs(sums[borders] - middle))])
