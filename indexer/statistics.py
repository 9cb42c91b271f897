"""Document frequencies: how many chunks and pages hold a term, kept by what a run adds and removes."""

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from retrieval import schema
from retrieval.predicates import in_predicate
from retrieval.store import Writer

CHUNK_COLUMNS = ("page_id", "terms")
"""The columns of the table `chunks` that are counted."""

_TERMS_A_QUERY = 1_000
# Beyond so many terms, one pass over the table is quicker than asking for them.
_MANY_TERMS = 20_000

_Frequencies = dict[str, tuple[int, int]]
"""How many chunks and how many pages hold a term."""


class TermStatistics:
    """Gathers what a run adds and removes and writes it once; `length` is the growth in terms."""

    def __init__(self) -> None:
        self._chunks: Counter[str] = Counter()
        self._pages: Counter[str] = Counter()
        self.length = 0

    def add(self, chunks: pa.Table) -> None:
        """Counts the chunks of whole pages that come; the table needs `CHUNK_COLUMNS`."""
        self._count(chunks, 1)

    def remove(self, chunks: pa.Table) -> None:
        """Counts the chunks of whole pages that go."""
        self._count(chunks, -1)

    async def write(self, writer: Writer) -> None:
        """Brings the table of terms up to date."""
        changed = {
            term for counts in (self._chunks, self._pages) for term, number in counts.items() if number
        }
        if not changed:
            return
        old = await _read(writer, sorted(changed))
        await _delete(writer, sorted(old))
        rows = []
        for term in sorted(changed):
            chunks, pages = old.get(term, (0, 0))
            chunks, pages = chunks + self._chunks[term], pages + self._pages[term]
            if chunks > 0:
                rows.append({"term": term, "document_frequency": chunks, "page_frequency": pages})
        await writer.append("terms", pa.Table.from_pylist(rows, schema=schema.TERMS))

    def _count(self, chunks: pa.Table, sign: int) -> None:
        by_page: dict[str, set[str]] = {}
        for page, text in zip(chunks["page_id"].to_pylist(), chunks["terms"].to_pylist(), strict=True):
            terms = text.split()
            self.length += sign * len(terms)
            distinct = set(terms)
            by_page.setdefault(page, set()).update(distinct)
            for term in distinct:
                self._chunks[term] += sign
        for distinct in by_page.values():
            for term in distinct:
                self._pages[term] += sign


async def _read(writer: Writer, terms: Sequence[str]) -> _Frequencies:
    known: _Frequencies = {}
    for where in [None] if len(terms) > _MANY_TERMS else _predicates(terms):
        rows = await writer.rows("terms", columns=schema.TERMS.names, where=where)
        counts = zip(rows["document_frequency"].to_pylist(), rows["page_frequency"].to_pylist(), strict=True)
        known.update(zip(rows["term"].to_pylist(), counts, strict=True))
    wanted = set(terms)
    return {term: numbers for term, numbers in known.items() if term in wanted}


async def _delete(writer: Writer, terms: Sequence[str]) -> None:
    for where in _predicates(terms):
        await writer.delete("terms", where)


def _predicates(terms: Sequence[str]) -> list[str]:
    steps = range(0, len(terms), _TERMS_A_QUERY)
    return [in_predicate("term", terms[start : start + _TERMS_A_QUERY]) for start in steps]
