"""What a tuning found, as JSON values."""

from dataclasses import asdict
from typing import Any

from retrieval.weights import list_changes
from service.tuning.tuner import TuningResult


def to_dict(result: TuningResult, *, generation: int | None) -> dict[str, Any]:
    """Returns the result as JSON values; `generation` is the one that was committed, if any."""
    tuning = result.tuning
    return {
        "status": "ok" if tuning else "too-few-labels",
        "generation": generation,
        "labels": result.labels,
        "halves": {"fitted": result.fitted, "held_back": result.held_back},
        "weights": asdict(tuning.weights) if tuning else None,
        "changed": list_changes(tuning.weights) if tuning else {},
        "quality": asdict(tuning.provenance.gain) if tuning else None,
        "floor": asdict(result.floor) if result.floor else None,
        "shares": dict(tuning.shares) if tuning else None,
    }
