"""Units: the sentences of a text's lines, which is what two versions of a page are compared by."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

# A unit never holds a line end: pages that differ in these alone have equal units. The bound keeps a line
# without any sentence end from being one unit of megabytes.
_UNIT = re.compile(r"[^\r\n]{1,1000}?(?:(?<=[.!?])(?=[ \t])|(?<=[。！？])|(?=[\r\n])|\Z)|[^\r\n]{1000}")


@dataclass(frozen=True, slots=True)
class Units:
    """The units of a text that are not blank; `keys[i]` is `text[starts[i]:ends[i]]`."""

    keys: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def touched_by(self, start: int, end: int) -> range:
        """Returns the units that share a character with a range of the text."""
        return range(bisect_right(self.ends, start), bisect_left(self.starts, end))


def cut_units(text: str) -> Units:
    """Cuts a text into units, in time linear in its length."""
    keys, starts, ends = [], [], []
    for match in _UNIT.finditer(text):
        key = match[0].strip()
        if key:
            start = match.start() + match[0].index(key[0])
            keys.append(key)
            starts.append(start)
            ends.append(start + len(key))
    return Units(tuple(keys), tuple(starts), tuple(ends))
