"""Document frequencies: how many chunks hold a term, kept up to date by what a run adds and removes."""

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

from retrieval import schema
from retrieval.predicates import in_predicate
from retrieval.store import Writer

_TERMS_A_QUERY = 1_000
# Beyond so many terms, one pass over the table is quicker than asking for them.
_MANY_TERMS = 20_000


class TermStatistics:
    """Gathers what a run adds and removes and writes it once; `length` is the growth in terms."""

    def __init__(self) -> None:
        self._change: Counter[str] = Counter()
        self.length = 0

    def add(self, chunks: pa.Table) -> None:
        """Counts chunks that come; the table needs the column `terms`."""
        self._count(chunks, 1)

    def remove(self, chunks: pa.Table) -> None:
        """Counts chunks that go."""
        self._count(chunks, -1)

    async def write(self, writer: Writer) -> None:
        """Brings the table of terms up to date."""
        change = {term: number for term, number in self._change.items() if number}
        if not change:
            return
        old = await _read(writer, sorted(change))
        await _delete(writer, sorted(old))
        new = {term: old.get(term, 0) + number for term, number in change.items()}
        rows = {term: number for term, number in sorted(new.items()) if number > 0}
        table = pa.table([pa.array(rows.keys()), pa.array(rows.values(), pa.int64())], schema=schema.TERMS)
        await writer.append("terms", table)

    def _count(self, chunks: pa.Table, sign: int) -> None:
        for text in chunks["terms"].to_pylist():
            terms = text.split()
            self.length += sign * len(terms)
            for term in set(terms):
                self._change[term] += sign


async def _read(writer: Writer, terms: Sequence[str]) -> dict[str, int]:
    known: dict[str, int] = {}
    for where in [None] if len(terms) > _MANY_TERMS else _predicates(terms):
        rows = await writer.rows("terms", columns=schema.TERMS.names, where=where)
        known.update(zip(rows["term"].to_pylist(), rows["document_frequency"].to_pylist(), strict=True))
    wanted = set(terms)
    return {term: number for term, number in known.items() if term in wanted}


async def _delete(writer: Writer, terms: Sequence[str]) -> None:
    for where in _predicates(terms):
        await writer.delete("terms", where)


def _predicates(terms: Sequence[str]) -> list[str]:
    steps = range(0, len(terms), _TERMS_A_QUERY)
    return [in_predicate("term", terms[start : start + _TERMS_A_QUERY]) for start in steps]
