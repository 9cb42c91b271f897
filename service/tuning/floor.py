"""Fitting the floor below which a query is told to have no answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from service.tuning.trials import Trial

MOST_REFUSED = 0.05
"""The share of a wiki's own labels that may be refused."""

# What a sample promises does not hold to the last label, so the floor is fitted to half of that.
_AIM = MOST_REFUSED / 2
_STEPS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorFit:
    """The floor of the embedder and the one for this wiki, None where that of the embedder is as good.

    `refused` is the share of held-back labels that are refused with it, `refused_without` that share where
    their pages are left out of the search, so that there is no answer.
    """

    default: float
    fitted: float | None
    refused: float
    refused_without: float


def fit_floor(
    fitted: Sequence[Trial], held_back: Sequence[Trial], without: Sequence[Trial], *, default: float
) -> FloorFit:
    """Returns a higher floor where few labels are refused with it, and a lower one where too many are.

    `without` are the held-back labels without their pages.
    """
    aimed = floor(sorted(trial.best for trial in fitted)[int(_AIM * len(fitted))] * _STEPS) / _STEPS
    is_better = (
        refuse(held_back, aimed) <= MOST_REFUSED
        if aimed > default
        else refuse((*fitted, *held_back), default) > MOST_REFUSED
    )
    used = aimed if is_better else default
    return FloorFit(
        default=default,
        fitted=aimed if is_better else None,
        refused=refuse(held_back, used),
        refused_without=refuse(without, used),
    )


def refuse(trials: Sequence[Trial], floor: float) -> float:
    """Returns the share of labels that would be refused with a floor."""
    return sum(trial.best < floor for trial in trials) / len(trials)
