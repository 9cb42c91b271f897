"""How sure a difference between two runs is.

The paired bootstrap: queries are drawn again with replacement, both runs on the same ones, and the interval
is where the mean difference of 95 % of the draws lies (percentile method: Efron and Tibshirani, 1993, chapter
13; for retrieval: Sakai, SIGIR 2006).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

DRAWS = 2_000
_SEED = 20_060_806
_COVERED = (2.5, 97.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A mean difference, run minus baseline, with its 95 % interval from `low` to `high`."""

    mean: float
    low: float
    high: float


def compare(run: Mapping[str, float], baseline: Mapping[str, float]) -> Difference | None:
    """Returns how much better a run is than a baseline, None where no query has both values.

    Arguments are values by the id of a query. The same values give the same interval.
    """
    paired = sorted(run.keys() & baseline.keys())
    if not paired:
        return None
    differences = np.array([run[query] - baseline[query] for query in paired])
    drawn = np.random.default_rng(_SEED).integers(len(paired), size=(DRAWS, len(paired)))
    low, high = np.percentile(differences[drawn].mean(axis=1), _COVERED)
    return Difference(mean=float(differences.mean()), low=float(low), high=float(high))
