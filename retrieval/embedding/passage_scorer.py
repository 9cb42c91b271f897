"""The port through which a model that reads query and passage together says how well they fit."""

from collections.abc import Sequence
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from chunking.errors import WikitrailError

Fits = npt.NDArray[np.float32]
"""Shape (passages,): larger is better, and comparable for one query only."""


class ScorerError(WikitrailError):
    """The model cannot be loaded, failed, or gave scores that cannot be used."""

    code: ClassVar[str] = "scorer-failed"


class PassageScorer(Protocol):
    """Says how well passages answer a query."""

    def score(self, query: str, passages: Sequence[str]) -> Fits:
        """Returns a finite number for each passage, in order, whatever the others are.

        Raises:
            ScorerError: The model failed.
        """
