"""How good answers below the full level are to be expected, as a share of full quality."""

from collections.abc import Mapping

from retrieval.store import Generation
from retrieval.warnings import Expectation, Level

PUBLIC_SHARES: Mapping[Level, float] = {"page": 0.99, "lexical": 0.96}
"""The mean over three public sets in English with the packaged model, see `docs/benchmarks.md`."""


def list_shares(generation: Generation) -> Mapping[Level, Expectation]:
    """Returns for each lower level what was measured on the wiki, or else on public sets."""
    tuning = generation.tuning_at_work
    shares = tuning.shares if tuning else PUBLIC_SHARES
    return {
        level: Expectation(share=share, measured_on="own-labels" if tuning else "public-sets")
        for level, share in shares.items()
    }


def expect_quality(generation: Generation, level: Level, *, coverage: float) -> Expectation | None:
    """Returns what to expect of an answer on a level; None where that was not measured.

    Where only some passages have vectors, those without are found as at the level of pages.
    """
    shares = list_shares(generation)
    if level != "chunk":
        return shares.get(level)
    page = shares["page"]
    return Expectation(share=round(coverage + (1 - coverage) * page.share, 3), measured_on=page.measured_on)
