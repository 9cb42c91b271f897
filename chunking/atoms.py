"""The smallest pieces a section is cut into: lines, and parts of lines that are over the budget."""

import re
import zlib
from array import array
from dataclasses import dataclass
from itertools import chain
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt
import regex

from chunking.lines import LineIndex
from chunking.sizes import CHARS_PER_TOKEN, Floats, Sizer
from chunking.structure import Strength, Structure

Offsets = npt.NDArray[np.int32]
Strengths = npt.NDArray[np.int16]
Integers = npt.NDArray[np.int64]
_Number = TypeVar("_Number", np.int16, np.int32, np.float64)

_PART_ENDS: Final = {
    Strength.SENTENCE: regex.compile(r"[.!?…]+[\"'”’)\]]*\s+|[。！？｡]+[」』”’）]*\s*"),
    Strength.WORD: regex.compile(r"[，、；：]+\s*|\s+"),
    Strength.GRAPHEME: regex.compile(r"\X"),
}
_OPENING_NOISE = re.compile(r"[\W\d_]*")
_OPENING_CHARS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Atoms:
    """Neighbouring ranges of a text, in parallel arrays.

    `strengths` says how well the border before an atom separates; `sizes` are in tokens, see `Sizer.measure`.
    """

    starts: Offsets
    ends: Offsets
    sizes: Floats
    strengths: Strengths


def read_atoms(
    text: str,
    start: int,
    end: int,
    body_start: int,
    lines: LineIndex,
    structure: Structure,
    sizer: Sizer,
    room: float,
) -> Atoms:
    """Divides `text[start:end]` into lines, and lines above `room` tokens into sentences, words or graphemes.

    What precedes `body_start` is one atom, cannot be cut off, and takes no room as it is not embedded again.
    """
    atoms = _read_lines(text, max(start, body_start), end, lines, structure, sizer)
    if start < body_start:
        atoms = _prepend_heading(atoms, start)
    for level in (Strength.SENTENCE, Strength.WORD, Strength.GRAPHEME, Strength.CODE_POINT):
        atoms = _refine(atoms, text, level, sizer, room)
    return atoms


def rank_borders(atoms: Atoms, text: str, end: int) -> Integers:
    """Ranks the border before each atom by strength, then by a hash of the words that follow.

    The hash makes the choice among equal borders independent of everything else on the page, so an edit
    moves no border but those around it. List numbers and markers are left out of it.
    """
    ranks = atoms.strengths.astype(np.int64)
    ranks <<= 32
    for index in np.flatnonzero(atoms.strengths >= Strength.WORD):
        ranks[index] |= _hash_opening(text, int(atoms.starts[index]), end)
    return ranks


def _hash_opening(text: str, start: int, end: int) -> int:
    window = text[start : min(end, start + 2 * _OPENING_CHARS)]
    noise = _OPENING_NOISE.match(window)
    opening = window[noise.end() if noise else 0 :][:_OPENING_CHARS] or window
    return zlib.crc32(opening.encode("utf-8", "surrogatepass"))


def _read_lines(
    text: str, start: int, end: int, lines: LineIndex, structure: Structure, sizer: Sizer
) -> Atoms:
    starts, strengths = array("q", [start]), array("h", [Strength.LINE])
    behind_blank = False
    for line in range(lines.line_of(start) + 1, lines.line_of(end - 1) + 1):
        offset = lines.start_of(line)
        if not text[offset : lines.start_of(line + 1)].strip():
            behind_blank = True
            continue
        default = Strength.BLANK_LINE if behind_blank else Strength.LINE
        starts.append(offset)
        known = structure.strengths[line]
        strengths.append(known if known >= 0 else default)
        behind_blank = False
    ends = starts[1:]
    ends.append(end)
    return Atoms(
        starts=np.array(starts, dtype=np.int32),
        ends=np.array(ends, dtype=np.int32),
        sizes=sizer.measure_ranges(text, starts, ends),
        strengths=np.array(strengths, dtype=np.int16),
    )


def _prepend_heading(atoms: Atoms, start: int) -> Atoms:
    length = int(atoms.starts[0]) - start
    return Atoms(
        starts=np.append(np.int32(start), atoms.starts),
        ends=np.append(atoms.starts[:1], atoms.ends),
        sizes=np.append(length / CHARS_PER_TOKEN, atoms.sizes),
        strengths=np.append(np.array([Strength.LINE, Strength.GLUED], dtype=np.int16), atoms.strengths[1:]),
    )


def _refine(atoms: Atoms, text: str, level: Strength, sizer: Sizer, room: float) -> Atoms:
    """Divides the atoms that are too large at the borders of one level."""
    large = _find_large(atoms, room)
    if not len(large):
        return atoms
    divided = [_divide(text, int(atoms.starts[index]), int(atoms.ends[index]), level) for index in large]
    counts = np.array([len(part) for part in divided], dtype=np.int64)
    starts = np.concatenate(divided)
    del divided
    firsts = np.append(0, np.cumsum(counts[:-1]))
    ends = np.append(starts[1:], np.int32(0))
    ends[firsts + counts - 1] = atoms.ends[large]
    strengths = np.full(len(starts), int(level), dtype=np.int16)
    strengths[firsts] = atoms.strengths[large]
    parts = Atoms(starts=starts, ends=ends, sizes=_estimate(text, starts, ends, sizer), strengths=strengths)
    return _replace(atoms, large, counts, parts)


def _find_large(atoms: Atoms, room: float) -> Integers:
    """Atoms that cannot be parted from a neighbour get a quarter of the room, so that they fit together."""
    glued = atoms.strengths == Strength.GLUED
    glued[:-1] |= glued[1:]
    return np.flatnonzero((atoms.sizes > room) | (glued & (atoms.sizes > room / 4)))


def _divide(text: str, start: int, end: int, level: Strength) -> Offsets:
    """Returns where the parts of `text[start:end]` start."""
    if level is Strength.CODE_POINT:
        return np.arange(start, end, dtype=np.int32)
    borders = (match.end() for match in _PART_ENDS[level].finditer(text, start, end))
    inner = (border for border in borders if border < end)
    return np.fromiter(chain((start,), inner), dtype=np.int32)


def _estimate(text: str, starts: Offsets, ends: Offsets, sizer: Sizer) -> Floats:
    """Measures stretches of about one budget and shares their tokens out by length.

    Measuring each of a million graphemes would cost a thousand times more; pieces are counted exactly later.
    """
    lengths = ends - starts
    # A stretch ends where the next atom does not follow on, or after about the characters of one budget.
    budgets = np.cumsum(lengths)
    budgets //= sizer.max_tokens * 4
    apart = (starts[1:] != ends[:-1]) | (budgets[1:] != budgets[:-1])
    firsts = np.flatnonzero(np.append(True, apart))
    lasts = np.append(firsts[1:], len(starts)) - 1
    measured = sizer.measure_ranges(text, starts[firsts].tolist(), ends[lasts].tolist())
    density = measured / np.maximum(ends[lasts] - starts[firsts], 1)
    sizes: Floats = np.repeat(density, lasts - firsts + 1)
    sizes *= lengths
    return np.maximum(sizes, lengths / CHARS_PER_TOKEN, out=sizes)


def _replace(atoms: Atoms, large: Integers, counts: Integers, parts: Atoms) -> Atoms:
    """Puts `counts[i]` parts in the place of the atom `large[i]`."""
    repeats = np.ones(len(atoms.starts), dtype=np.int64)
    repeats[large] = counts
    is_large = np.zeros(len(atoms.starts), dtype=np.bool_)
    is_large[large] = True
    new = np.repeat(is_large, repeats)

    def mix(old: npt.NDArray[_Number], divided: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
        mixed = np.repeat(old, repeats)
        mixed[new] = divided
        return mixed

    return Atoms(
        starts=mix(atoms.starts, parts.starts),
        ends=mix(atoms.ends, parts.ends),
        sizes=mix(atoms.sizes, parts.sizes),
        strengths=mix(atoms.strengths, parts.strengths),
    )
