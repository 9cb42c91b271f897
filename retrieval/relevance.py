"""From signals to P(relevant): how sure the best passage is, and how the others stand to it.

    P(best) = max(logistic(a * cosine + b * share + c), logistic(20 * (held - .8)))
    P(other) = P(best) * score(other) / score(best)

`cosine`, `share` and `held` are the best of the candidates: `share` is BM25 as a share of what it could be at
most, `held` the share of the query's weight (idf) in terms that the passage holds at all. The second term is
for exact words and identifiers, which vectors miss: a passage that holds nearly all of the query is relevant
whatever its vector says.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What the signals are worth with one embedder, which knows it; below `floor` a query has no answer."""

    cosine: float
    share: float
    offset: float
    floor: float


UNKNOWN_SPACE = Calibration(cosine=0.0, share=13.4, offset=-3.9, floor=0.0)
"""Of an embedder to which nothing was fitted: the words alone decide, and nothing is refused."""

CHOSEN = 0.6
"""P(relevant) of the first page that a language model chose: set, not measured."""

_EXACT_SLOPE, _EXACT_HELD = 20.0, 0.8


def estimate_best(calibration: Calibration, *, cosine: float | None, share: float, held: float) -> float:
    """Returns P(relevant) of the best passage; without vectors `cosine` is None and words alone decide."""
    used = UNKNOWN_SPACE if cosine is None else calibration
    together = used.cosine * (cosine or 0.0) + used.share * share + used.offset
    return max(_logistic(together), _logistic(_EXACT_SLOPE * (held - _EXACT_HELD)))


def _logistic(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value)) if value > -700 else 0.0
