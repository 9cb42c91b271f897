"""Late interaction: every token of the query with every token of a candidate, as the index keeps them."""

import logging
from collections.abc import Sequence

from retrieval.candidate import Candidate
from retrieval.daemons import DaemonThreads
from retrieval.embedding.port import EmbedderError, Vectors
from retrieval.embedding.token_embedder import TokenEmbedder
from retrieval.predicates import in_predicate
from retrieval.query_embedder import QUERY_SECONDS
from retrieval.refinement.port import Measured, Question
from retrieval.refinement.signs import measure_maxsim
from retrieval.store import Snapshot

_THREADS = 8

_log = logging.getLogger(__name__)


class MaxSimRefiner:
    """A `Refiner` over the token vectors of the index, for queries that have a vector of their space."""

    def __init__(self, embedder: TokenEmbedder) -> None:
        self._embedder = embedder
        self._threads = DaemonThreads("query-tokens", most=_THREADS)

    async def measure(self, question: Question, candidates: Sequence[Candidate]) -> Measured:
        """Returns the MaxSim of the candidates whose tokens the index has."""
        if question.rung.vector is None:
            return Measured(reason="no-query-vector")
        codes = await _read_codes(question.snapshot, candidates)
        if not codes:
            return Measured(reason="token-vectors-missing")
        try:
            tokens = await self._threads.call(
                lambda: self._embed(question.query), seconds=question.deadline.left(QUERY_SECONDS)
            )
        except TimeoutError:
            return Measured(reason="timeout")
        except EmbedderError as error:
            _log.warning("the tokens of a query could not be embedded: %s", error)
            return Measured(reason="failed")
        similar = measure_maxsim(tokens, list(codes.values()))
        return Measured(
            scores=dict(zip(codes, map(float, similar), strict=True)),
            reason="token-vectors-partial" if len(codes) < len(candidates) else None,
        )

    def _embed(self, query: str) -> Vectors:
        _, (tokens,) = self._embedder.embed_with_tokens([query], "query")
        return tokens


async def _read_codes(snapshot: Snapshot, candidates: Sequence[Candidate]) -> dict[str, bytes]:
    """Returns the codes of the candidates that have one, in their order."""
    if not snapshot.has("token_vectors"):
        return {}
    ids = [candidate.chunk_id for candidate in candidates]
    where = in_predicate("chunk_id", ids)
    rows = await snapshot.rows("token_vectors", columns=["chunk_id", "code"], where=where)
    found = dict(zip(rows["chunk_id"].to_pylist(), rows["code"].to_pylist(), strict=True))
    return {identity: found[identity] for identity in ids if found.get(identity)}
