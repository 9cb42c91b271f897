"""Text as it is compared word for word: runs of blanks are one, and quotation marks have one form."""

import re
from bisect import bisect_right

from retrieval.repair import find_nearest

# A run of blanks; where it holds a line end, also the marks of a block quote before the next line.
_BLANKS = re.compile(r"(?:[^\S\r\n]*+[\r\n][ \t]*+(?:>[ \t]*+)*+)++[^\S\r\n]*+|\s++")
_MARKS = str.maketrans({**dict.fromkeys("“”„‟«»", '"'), **dict.fromkeys("‘’‚‛", "'")})


class FoldedText:
    """A folded text, whose places can be told in the text it was made of."""

    def __init__(self, text: str) -> None:
        self.folded = fold_blanks(text)
        self._starts: list[int] = [0]
        self._shifts: list[int] = [0]
        for match in _BLANKS.finditer(text):
            if match.end() - match.start() > 1:
                shift = self._shifts[-1] + match.end() - match.start() - 1
                self._starts.append(match.end() - shift)
                self._shifts.append(shift)

    def find(self, folded: str, near: int) -> tuple[int, int] | None:
        """Returns the range of the text that reads as `folded` does, the one nearest to the offset `near`."""
        place = find_nearest(self.folded, folded, self._fold_offset(near))
        if place is None:
            return None
        return self._unfold(place), self._unfold(place + len(folded) - 1) + 1

    def _fold_offset(self, offset: int) -> int:
        # Exact enough to compare distances.
        low = bisect_right(
            range(len(self._starts)), offset, key=lambda run: self._starts[run] + self._shifts[run]
        )
        return max(0, offset - self._shifts[max(low - 1, 0)])

    def _unfold(self, place: int) -> int:
        return place + self._shifts[bisect_right(self._starts, place) - 1]


def fold_blanks(text: str) -> str:
    """Returns a text in the form in which it is compared; other changes of wording stay."""
    return _BLANKS.sub(" ", text).translate(_MARKS)
