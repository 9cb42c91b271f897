"""One score from that of the lanes and that of the second stage."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from retrieval.candidate import Candidate, sort_candidates


def mix_scores(ranked: Sequence[Candidate], found: Mapping[str, float], *, share: float) -> list[Candidate]:
    """Returns candidates in the order of (1 - share) * own + share * found score, best first.

    Found scores, by chunk id, are first stretched over the range of the own scores of the same candidates: so
    mixed ones are on the scale of the lanes, where a candidate without a found score keeps its own.
    """
    measured = [candidate for candidate in ranked if candidate.chunk_id in found]
    own = [candidate.score for candidate in measured]
    least, most = min(found.values(), default=0.0), max(found.values(), default=0.0)
    if most == least:
        return list(ranked)
    low, high = min(own), max(own)

    def mix(candidate: Candidate) -> Candidate:
        if candidate.chunk_id not in found:
            return candidate
        stretched = low + (high - low) * (found[candidate.chunk_id] - least) / (most - least)
        score = (1 - share) * candidate.score + share * stretched
        return replace(candidate, score=score, scores=replace(candidate.scores, rerank=score))

    return sort_candidates(map(mix, ranked))
