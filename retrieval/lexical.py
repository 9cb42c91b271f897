"""The lexical lane: the full-text index picks candidates, BM25 with the corpus's statistics scores them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from retrieval import bm25
from retrieval.candidate import COLUMNS, Candidate, read_candidate
from retrieval.pack import Scores
from retrieval.predicates import in_predicate
from retrieval.query_terms import QueryTerms
from retrieval.stems import unmark
from retrieval.store import Snapshot
from retrieval.words import is_identifier

# Among 897 queries that have an answer, in three sets, .35 of the weight is the most.
_MUCH = 0.4


async def find_by_terms(
    snapshot: Snapshot, query: QueryTerms, *, where: str | None, limit: int
) -> list[Candidate]:
    """Returns up to `limit` chunks that hold a term of the query, best first by the index's own score."""
    if not query or snapshot.generation.counts.chunks == 0:
        return []
    rows = await snapshot.match_terms(query.forms, columns=COLUMNS, where=where, limit=limit)
    found = [
        replace(read_candidate(row), scores=Scores(lexical=float(row["_score"]))) for row in rows.to_pylist()
    ]
    return sorted(found, key=lambda candidate: (-(candidate.scores.lexical or 0.0), candidate.chunk_id))


class LexicalScorer:
    """Scores chunks against the words of one query."""

    def __init__(
        self, query: QueryTerms, *, chunks: bm25.CorpusStatistics, pages: bm25.CorpusStatistics
    ) -> None:
        self._query = query
        self._words = query.words
        self._chunks = chunks
        self._pages = pages
        bound = bm25.upper_bound(self._words, chunks)
        self.shares = {word: bm25.upper_bound([word], chunks) / bound for word in self._words}
        """The share of the query's weight (idf) in each of its words, in their order."""

    @classmethod
    async def prepare(cls, snapshot: Snapshot, query: QueryTerms) -> "LexicalScorer":
        """Reads how many chunks and pages of the whole corpus hold each word of the query."""
        columns = ["term", "document_frequency", "page_frequency"]
        rows = await snapshot.rows("terms", columns=columns, where=in_predicate("term", query.forms))
        found, in_chunks, in_pages = (rows[column].to_pylist() for column in columns)
        counts = snapshot.generation.counts
        return cls(
            query,
            chunks=bm25.CorpusStatistics(
                document_count=counts.chunks,
                average_length=counts.average_length,
                document_frequency=query.add_up(zip(found, in_chunks, strict=True)),
            ),
            pages=bm25.CorpusStatistics(
                document_count=counts.pages,
                average_length=counts.average_page_length,
                document_frequency=query.add_up(zip(found, in_pages, strict=True)),
            ),
        )

    def score(self, candidates: Sequence[Candidate]) -> list[float]:
        """Returns the BM25 score of each candidate, 0.0 for one that holds no term of the query."""
        documents = [self._query.name(candidate.terms) for candidate in candidates]
        return bm25.score(self._words, documents, self._chunks)

    def score_pages(self, candidates: Sequence[Candidate]) -> list[float]:
        """Returns for each candidate the BM25 score of its page, as far as candidates tell.

        The terms are those of the page's candidates, for its other passages say little of what is asked; the
        length is that of the whole page.
        """
        terms: dict[str, list[str]] = defaultdict(list)
        lengths: dict[str, int] = {}
        for candidate in candidates:
            terms[candidate.page_id].extend(self._query.name(candidate.terms))
            lengths[candidate.page_id] = candidate.page_terms
        scores = bm25.score(
            self._words,
            list(terms.values()),
            self._pages,
            lengths=[lengths[page] for page in terms],
            b=bm25.PAGE_B,
        )
        by_page = dict(zip(terms, scores, strict=True))
        return [by_page[candidate.page_id] for candidate in candidates]

    def find_words(self, candidate: Candidate) -> frozenset[str]:
        """Returns the words of the query that a candidate holds in any form."""
        return frozenset(self._query.name(candidate.terms)) & self.shares.keys()

    def held(self, candidate: Candidate) -> float:
        """Returns the share of the query's weight whose terms a candidate has, from 0 to 1."""
        words = self.find_words(candidate)
        return min(1.0, sum(share for word, share in self.shares.items() if word in words))

    def holds_identifier(self, candidate: Candidate) -> bool:
        """Says whether a candidate has any identifier of the query, or of its parts."""
        return any(map(is_identifier, self.find_words(candidate)))

    @property
    def asks_for_identifiers(self) -> bool:
        """Whether much of the query's weight is in identifiers."""
        return self._is_much([word for word in self._wholes if is_identifier(word)])

    @property
    def misses_identifiers(self) -> bool:
        """Whether much of the query's weight is in identifiers that the wiki does not hold.

        One is held, too, where an identifier that is part of it is.
        """
        known = [name for name in self._words if is_identifier(name) and self._is_known(name)]
        names = [word for word in self._wholes if is_identifier(word)]
        return self._is_much([name for name in names if not any(part in name for part in known)])

    @property
    def _wholes(self) -> list[str]:
        """The words of the query without the parts of identifiers, which are not to count again."""
        names = [word for word in self._words if is_identifier(word)]
        return [
            word for word in self._words if not any(word != name and unmark(word) in name for name in names)
        ]

    def _is_much(self, words: Sequence[str]) -> bool:
        weight = bm25.upper_bound(self._wholes, self._chunks)
        return bool(words) and bm25.upper_bound(words, self._chunks) >= _MUCH * weight

    def _is_known(self, word: str) -> bool:
        return self._chunks.document_frequency.get(word, 0) > 0
