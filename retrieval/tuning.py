"""What was measured on one wiki and fitted to it; kept with a generation, used by every query on it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from retrieval.warnings import Level
from retrieval.weights import RANKING_VERSION, RankingWeights

LabelKind = Literal["link", "heading", "alias"]
"""Where the words of a label come from: a link's text, a heading, another name of a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What a tuning was fitted to: with another of these its figures say nothing.

    `space` is the id of the vector space, `analyzer` and `ranking` are versions.
    """

    space: str
    analyzer: int
    ranking: int = RANKING_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """The quality of the held-back labels with the default weights and with those fitted to the others.

    Quality is from 0 to 1, see `service.tuning.quality`; `low` to `high` is the 95 % interval of the mean
    difference. `taken` says whether the fitted weights are used.
    """

    labels: int
    before: float
    after: float
    low: float
    high: float
    taken: bool

    @property
    def is_none(self) -> bool:
        """Whether the fitted weights are the default ones, or rank just as these do."""
        return self.before == self.after and self.low == self.high == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a tuning comes from: the labels by kind of one generation, drawn with a seed.

    `created` is in seconds since the epoch.
    """

    created: float
    generation: int
    seed: int
    labels: Mapping[LabelKind, int]
    gain: Gain


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Weights and floor for one wiki, and the share of full quality that each lower level has on it.

    Without a `floor` that of the embedder holds.
    """

    weights: RankingWeights
    floor: float | None
    shares: Mapping[Level, float]
    basis: Basis
    provenance: Provenance

    @property
    def effect(self) -> dict[str, Any]:
        """What answers depend on, as JSON values."""
        return {"weights": asdict(self.weights), "floor": self.floor, "shares": dict(self.shares)}


def to_record(tuning: Tuning) -> dict[str, Any]:
    """Returns the tuning as JSON values."""
    return asdict(tuning)


def from_record(record: Mapping[str, Any]) -> Tuning | None:
    """Reads what `to_record` wrote; None where that was in another form, which must not hide the index."""
    try:
        provenance = record["provenance"]
        return Tuning(
            weights=RankingWeights(**record["weights"]),
            floor=record["floor"],
            shares=record["shares"],
            basis=Basis(**record["basis"]),
            provenance=Provenance(**{**provenance, "gain": Gain(**provenance["gain"])}),
        )
    except (KeyError, TypeError):
        return None
