"""Which level answers a query now, told without asking any model."""

from retrieval.ladder import ENOUGH_COVERAGE
from retrieval.models import Models
from retrieval.store import Generation
from retrieval.warnings import Level


def highest_level(generation: Generation, models: Models) -> Level:
    """Returns the level of a query over the whole wiki."""
    space, counts = generation.space, generation.counts
    if space is not None and models.embedder is not None and models.embedder.can_search(space):
        embeddable = counts.chunks - counts.failed
        enough = counts.embedded >= ENOUGH_COVERAGE * embeddable
        if enough or (counts.embedded > 0 and counts.page_vectors == 0):
            return "chunk"
        if counts.page_vectors > 0:
            return "page"
    return "lexical" if models.chooser is None else "llm"
