"""From signals to P(relevant): how sure the best passage is, and how the others stand to it.

    P(best) = max(logistic(a * cosine + b * share + c), logistic(d * (share - e)))
    P(other) = P(best) * score(other) / score(best)

`cosine` is the best of the candidates, `share` the largest share of the query's weight that a passage holds. The
second term is for exact identifiers, which vectors miss: a passage that holds nearly all the query's weight is
relevant whatever its vector says.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What the signals are worth in one vector space; below `floor` a query has no answer."""

    cosine: float
    share: float
    offset: float
    floor: float


UNKNOWN_SPACE = Calibration(cosine=0.0, share=13.4, offset=-3.9, floor=0.0)
"""Without a fitted space the words alone decide, and nothing is refused."""

# Logistic regression over a documentation set, an encyclopedia set and a set of abstracts: the queries of each set
# against its own pages (relevant) and against those of the others (not).
_FITTED: Mapping[str, Calibration] = {
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db": Calibration(
        cosine=39.7, share=5.0, offset=-17.5, floor=0.3
    ),
}

_EXACT_SLOPE, _EXACT_SHARE = 20.0, 0.6


def calibration_for(digest: str | None) -> Calibration:
    """Returns the calibration of the weights with this SHA-256."""
    return _FITTED.get(digest or "", UNKNOWN_SPACE)


def estimate_best(calibration: Calibration, *, cosine: float | None, share: float) -> float:
    """Returns P(relevant) of the best passage; without vectors `cosine` is None and words alone decide."""
    used = UNKNOWN_SPACE if cosine is None else calibration
    together = used.cosine * (cosine or 0.0) + used.share * share + used.offset
    return max(_logistic(together), _logistic(_EXACT_SLOPE * (share - _EXACT_SHARE)))


def _logistic(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value)) if value > -700 else 0.0
