"""From signals to P(relevant): how sure the best passage is, and how the others stand to it.

    P(best)  = logistic(a * cosine + b * held + c)
    P(other) = P(best) * (score(other) / score(best)) ** 2

`cosine` is that of the best passage, `held` the share of the query's weight (idf) in terms that it holds.
Where a vector says nothing of the query `held` decides alone, and a passage is no answer to a query about
names that the whole wiki does not hold.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What the signals are worth with one embedder, which knows it; below `floor` a query has no answer.

    `every_script` says whether the embedder has learnt more than the Latin script.
    """

    cosine: float
    held: float
    offset: float
    floor: float
    every_script: bool = True


UNKNOWN_SPACE = Calibration(cosine=0.0, held=5.0, offset=-2.5, floor=0.0)
"""Of an embedder to which nothing was fitted: the words alone decide, and nothing is refused."""

CHOSEN = 0.6
"""P(relevant) of the first page that a language model chose: set, not measured."""

NAME_HELD, NAME_MISSING = 0.6, 0.1
"""P(relevant) at least, where the query is about names and the passage holds one, and at most, where no page
does; set, not measured."""


def estimate_best(calibration: Calibration, *, cosine: float | None, held: float) -> float:
    """Returns P(relevant) of the best passage; where vectors say nothing `cosine` is None."""
    used = UNKNOWN_SPACE if cosine is None else calibration
    return _logistic(used.cosine * (cosine or 0.0) + used.held * held + used.offset)


def estimate_other(best: float, ratio: float) -> float:
    """Returns P(relevant) of a passage with this share, from 0 to 1, of the best one's score."""
    return best * ratio**2


def find_ratio(best: float, least: float) -> float:
    """Returns the share of the best one's score that a passage needs for P(relevant) of `least`."""
    return math.sqrt(least / best) if best > 0 else 1.0


def _logistic(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value)) if value > -700 else 0.0
