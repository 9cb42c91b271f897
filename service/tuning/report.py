"""What a tuning found, as JSON values and for people."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from retrieval.tuning import Tuning
from retrieval.weights import DEFAULT_WEIGHTS, RankingWeights
from service.tuning.tuner import TuningResult

WORDS = {"page": "page vectors", "lexical": "words alone"}
"""What searches at each lower level."""


def to_dict(result: TuningResult, *, generation: int | None) -> dict[str, Any]:
    """Returns the result as JSON values; `generation` is the one that was committed, if any."""
    tuning = result.tuning
    return {
        "status": "ok" if tuning else "too-few-labels",
        "generation": generation,
        "labels": result.labels,
        "halves": {"fitted": result.fitted, "held_back": result.held_back},
        "weights": None if tuning is None else asdict(tuning.weights),
        "changed": {} if tuning is None else list_changes(tuning.weights),
        "quality": None if tuning is None else asdict(tuning.provenance.gain),
        "floor": None if result.floor is None else asdict(result.floor),
        "shares": None if tuning is None else dict(tuning.shares),
    }


def describe(result: TuningResult, *, generation: int | None) -> str:
    """Returns the result for people."""
    kinds = ", ".join(f"{count} of kind {kind}" for kind, count in result.labels.items()) or "none"
    lines = [f"labels: {kinds}; {result.fitted} to fit to, {result.held_back} held back"]
    if result.tuning is None or result.floor is None:
        return "\n".join((*lines, "too few to tell anything from chance: the defaults stay"))
    floor = result.floor
    lines += [
        _describe_gain(result.tuning),
        f"floor: {floor.default if floor.fitted is None else floor.fitted:.2f}"
        f"{' (the default)' if floor.fitted is None else f' instead of {floor.default:.2f}'}; refuses "
        f"{floor.refused:.0%} of held-back labels, {floor.refused_without:.0%} without their pages",
        f"share of full quality: {describe_shares(result.tuning.shares)}",
        "nothing was written" if generation is None else f"generation {generation} has this tuning",
    ]
    return "\n".join(lines)


def describe_shares(shares: Mapping[Any, float]) -> str:
    """Returns the share of full quality of each lower level."""
    return ", ".join(f"{WORDS[level]} {share:.0%}" for level, share in shares.items())


def list_changes(weights: RankingWeights) -> dict[str, dict[str, float]]:
    """Returns the weights that are not the default ones, with what they were and what they are."""
    pairs = {
        field.name: (getattr(DEFAULT_WEIGHTS, field.name), getattr(weights, field.name))
        for field in fields(RankingWeights)
    }
    return {name: {"from": old, "to": new} for name, (old, new) in pairs.items() if old != new}


def _describe_gain(tuning: Tuning) -> str:
    gain = tuning.provenance.gain
    if (gain.before, gain.low, gain.high) == (gain.after, 0, 0):
        return f"weights: the defaults fit; quality of held-back labels {gain.before:.3f}"
    interval = f"[{gain.low:+.3f}, {gain.high:+.3f}]"
    figures = f"quality of held-back labels {gain.before:.3f} -> {gain.after:.3f} {interval}"
    if not gain.taken:
        return f"weights: the defaults stay, other ones gain nothing sure: {figures}"
    changes = list_changes(tuning.weights).items()
    shown = ", ".join(f"{name} {change['from']} -> {change['to']}" for name, change in changes)
    return f"weights: {shown}; {figures}"
