"""The lexical lane: the full-text index picks candidates, BM25 with the corpus's statistics scores them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from retrieval import bm25
from retrieval.candidate import COLUMNS, Candidate, read_candidate
from retrieval.pack import Scores
from retrieval.predicates import in_predicate
from retrieval.store import Snapshot
from retrieval.words import is_identifier

# Among 897 queries that have an answer, in three sets, .35 of the weight is the most.
_MUCH = 0.4


async def find_by_terms(
    snapshot: Snapshot, terms: Sequence[str], *, where: str | None, limit: int
) -> list[Candidate]:
    """Returns up to `limit` chunks that hold any of the terms, best first by the index's own score."""
    if not terms or snapshot.generation.counts.chunks == 0:
        return []
    rows = await snapshot.match_terms(terms, columns=COLUMNS, where=where, limit=limit)
    found = [
        replace(read_candidate(row), scores=Scores(lexical=float(row["_score"]))) for row in rows.to_pylist()
    ]
    return sorted(found, key=lambda candidate: (-(candidate.scores.lexical or 0.0), candidate.chunk_id))


class LexicalScorer:
    """Scores chunks against the terms of one query."""

    def __init__(
        self, terms: Sequence[str], *, chunks: bm25.CorpusStatistics, pages: bm25.CorpusStatistics
    ) -> None:
        self._terms = terms
        self._chunks = chunks
        self._pages = pages
        self._bound = bm25.upper_bound(terms, chunks)

    @classmethod
    async def prepare(cls, snapshot: Snapshot, terms: Sequence[str]) -> "LexicalScorer":
        """Reads how many chunks and pages of the whole corpus hold each term."""
        columns = ["term", "document_frequency", "page_frequency"]
        rows = await snapshot.rows("terms", columns=columns, where=in_predicate("term", terms))
        found, in_chunks, in_pages = (rows[column].to_pylist() for column in columns)
        counts = snapshot.generation.counts
        return cls(
            terms,
            chunks=bm25.CorpusStatistics(
                document_count=counts.chunks,
                average_length=counts.average_length,
                document_frequency=dict(zip(found, in_chunks, strict=True)),
            ),
            pages=bm25.CorpusStatistics(
                document_count=counts.pages,
                average_length=counts.average_page_length,
                document_frequency=dict(zip(found, in_pages, strict=True)),
            ),
        )

    def score(self, candidates: Sequence[Candidate]) -> list[float]:
        """Returns the BM25 score of each candidate, 0.0 for one that holds no term of the query."""
        documents = [candidate.terms for candidate in candidates]
        return bm25.score(self._terms, documents, self._chunks)

    def score_pages(self, candidates: Sequence[Candidate]) -> list[float]:
        """Returns for each candidate the BM25 score of its page, as far as candidates tell.

        The terms are those of the page's candidates, for its other passages say little of what is asked; the
        length is that of the whole page.
        """
        terms: dict[str, list[str]] = defaultdict(list)
        lengths: dict[str, int] = {}
        for candidate in candidates:
            terms[candidate.page_id].extend(candidate.terms)
            lengths[candidate.page_id] = candidate.page_terms
        scores = bm25.score(
            self._terms, list(terms.values()), self._pages, lengths=[lengths[page] for page in terms]
        )
        by_page = dict(zip(terms, scores, strict=True))
        return [by_page[candidate.page_id] for candidate in candidates]

    def held(self, candidates: Iterable[Candidate]) -> float:
        """Returns the largest share of the query's weight whose terms a candidate has, from 0 to 1."""
        most = max((self._weigh_held(set(candidate.terms)) for candidate in candidates), default=0.0)
        return bm25.share_of_bound(most, self._bound)

    @property
    def misses_identifiers(self) -> bool:
        """Whether much of the query's weight is in identifiers that the wiki does not hold.

        Vectors liken them to others that look alike, so near passages are no answer. One is held, too, where
        an identifier that is part of it is.
        """
        names = [term for term in self._terms if is_identifier(term)]
        # An identifier is a term as a whole and by its parts, which are not to count again.
        wholes = [term for term in self._terms if not any(term != name and term in name for name in names)]
        known = [name for name in names if self._is_known(name)]
        missing = [name for name in names if name in wholes and not any(part in name for part in known)]
        weight = bm25.upper_bound(wholes, self._chunks)
        return bool(missing) and bm25.upper_bound(missing, self._chunks) >= _MUCH * weight

    def share(self, score: float) -> float:
        """Returns the share of the query's weight that a score stands for, from 0 to 1."""
        return bm25.share_of_bound(score, self._bound)

    def _weigh_held(self, terms: Set[str]) -> float:
        return bm25.upper_bound([term for term in self._terms if term in terms], self._chunks)

    def _is_known(self, term: str) -> bool:
        return self._chunks.document_frequency.get(term, 0) > 0
