"""Reading the query and each candidate together, with a model that the user brings."""

import logging
import math
import time
from collections.abc import Sequence

import numpy as np

from chunking.embedded import embed_text, write_prefix
from retrieval.candidate import Candidate
from retrieval.daemons import DaemonThreads
from retrieval.embedding.passage_scorer import Fits, PassageScorer, ScorerError
from retrieval.refinement.port import Measured, Question

_BATCH = 8
# Links and evidence come after it and want some of the request's time.
_SHARE = 0.8

_log = logging.getLogger(__name__)


class CrossEncodingRefiner:
    """A `Refiner` over the text of the candidates, at every level of the ladder.

    One request is measured at a time, as the model has all processors; others wait within their deadlines.
    """

    def __init__(self, scorer: PassageScorer) -> None:
        self._scorer = scorer
        self._threads = DaemonThreads("cross-encoder", most=1)

    async def measure(self, question: Question, candidates: Sequence[Candidate]) -> Measured:
        """Returns a score for each candidate, or for none of them."""
        passages = [
            embed_text(write_prefix(candidate.title, candidate.heading_path), candidate.text)
            for candidate in candidates
        ]
        seconds = _SHARE * question.deadline.left(math.inf)
        end = time.monotonic() + seconds
        try:
            fits = await self._threads.call(
                lambda: self._score(question.query, passages, end), seconds=seconds
            )
        except TimeoutError:
            return Measured(reason="timeout")
        except ScorerError as error:
            _log.warning("%s", error, exc_info=error.__cause__)
            return Measured(reason="failed")
        return Measured(
            scores={item.chunk_id: float(fit) for item, fit in zip(candidates, fits, strict=True)}
        )

    def _score(self, query: str, passages: Sequence[str], end: float) -> Fits:
        """Scores batch by batch, and stops where nobody waits any more."""
        fits = []
        for start in range(0, len(passages), _BATCH):
            if time.monotonic() > end:
                raise TimeoutError
            fits.append(self._scorer.score(query, passages[start : start + _BATCH]))
        return np.concatenate(fits)
