"""A set of queries with judgments, read from a folder.

    corpus/**.md         the pages; the id of a page is its path below corpus/
    queries.jsonl        {"id", "text", "lang"?}; BEIR's own `_id` is understood too
    qrels.tsv            query-id, corpus-id, score (a whole number; above 0 is relevant)
    qrels_sections.tsv   query-id, corpus-id, heading, first-line, last-line            (optional)
    evidence.jsonl       {"id", "answers": [...], "evidence": [{"page", "text"}]}       (optional)

The two tables have a line of headings. Files are UTF-8.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.errors import InvalidSet
from service.evaluation.records import read_objects, read_table, read_text, read_whole

_QRELS = ("query-id", "corpus-id", "score")
_SECTIONS = ("query-id", "corpus-id", "heading", "first-line", "last-line")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query with at least one relevant page; `language` is None where the set names none."""

    id: str
    text: str
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section that answers a query: lines of a page, from 1, both included."""

    page: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The passage that an answer was taken from, verbatim but for the marks of links."""

    page: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The right answers of a query, any of which will do, and where they stand."""

    texts: tuple[str, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSet:
    """A set; all mappings are by the id of a query. `grades` are by page, 0 for one judged irrelevant."""

    name: str
    corpus: Path
    queries: tuple[Query, ...]
    grades: Mapping[str, Mapping[str, int]]
    sections: Mapping[str, tuple[Section, ...]]
    answers: Mapping[str, Answer]


def read_set(folder: Path) -> EvaluationSet:
    """Returns the set in a folder; queries without a relevant page are left out.

    Raises:
        InvalidSet: A file is missing or wrong; names it and the line.
    """
    corpus = folder / "corpus"
    if not corpus.is_dir():
        raise InvalidSet(f"there is no folder {corpus}; a set has corpus/, queries.jsonl and qrels.tsv")
    queries = read_objects(folder / "queries.jsonl", _read_query)
    pages = _PageIds(corpus)
    grades = _read_grades(folder / "qrels.tsv", queries, pages)
    judged = tuple(query for query in queries.values() if any(grades.get(query.id, {}).values()))
    if not judged:
        raise InvalidSet(f"{folder / 'qrels.tsv'} names no relevant page for any query")
    return EvaluationSet(
        name=folder.resolve().name,
        corpus=corpus,
        queries=judged,
        grades=grades,
        sections=_read_sections(folder / "qrels_sections.tsv", queries, pages),
        answers=_read_answers(folder / "evidence.jsonl", queries, pages),
    )


class _PageIds:
    """Knows which pages a corpus has; asks the file system once for each."""

    def __init__(self, corpus: Path) -> None:
        self._corpus = corpus
        self._known: set[str] = set()

    def check(self, page: str, key: str) -> str:
        """Returns the page that the field `key` names.

        Raises:
            ValueError: The corpus has no such page.
        """
        if page not in self._known and not (self._corpus / page).is_file():
            raise ValueError(f"`{key}`: there is no page {page!r} in the corpus")
        self._known.add(page)
        return page


def _read_grades(
    path: Path, queries: Mapping[str, Query], pages: _PageIds
) -> Mapping[str, Mapping[str, int]]:
    grades: dict[str, dict[str, int]] = {}

    def read(cells: Mapping[str, str]) -> None:
        query, page = _known(cells["query-id"], queries), pages.check(cells["corpus-id"], "corpus-id")
        grade = read_whole(cells, "score")
        if page in grades.setdefault(query, {}):
            raise ValueError(f"page {page!r} is judged twice for query {query!r}")
        grades[query][page] = grade

    read_table(path, _QRELS, read)
    return grades


def _read_sections(
    path: Path, queries: Mapping[str, Query], pages: _PageIds
) -> Mapping[str, tuple[Section, ...]]:
    sections: dict[str, tuple[Section, ...]] = {}

    def read(cells: Mapping[str, str]) -> None:
        query, page = _known(cells["query-id"], queries), pages.check(cells["corpus-id"], "corpus-id")
        first, last = read_whole(cells, "first-line"), read_whole(cells, "last-line")
        if not 1 <= first <= last:
            raise ValueError(f"`first-line` {first} to `last-line` {last} is no range of lines")
        section = Section(page=page, first_line=first, last_line=last)
        sections[query] = (*sections.get(query, ()), section)

    if path.exists():
        read_table(path, _SECTIONS, read)
    return sections


def _read_query(fields: Mapping[str, Any]) -> Query:
    language = read_text(fields, "lang") if "lang" in fields else None
    return Query(id=fields["id"], text=read_text(fields, "text"), language=language)


def _read_answers(path: Path, queries: Mapping[str, Query], pages: _PageIds) -> Mapping[str, Answer]:
    def read(fields: Mapping[str, Any]) -> Answer:
        _known(fields["id"], queries, "id")
        texts, sources = fields.get("answers"), fields.get("evidence")
        if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
            raise ValueError("`answers` has to be a list of texts")
        if not isinstance(sources, list) or not all(isinstance(source, dict) for source in sources):
            raise ValueError("`evidence` has to be a list of objects")
        return Answer(texts=tuple(texts), sources=tuple(_read_source(source, pages) for source in sources))

    return read_objects(path, read) if path.exists() else {}


def _read_source(fields: Mapping[str, Any], pages: _PageIds) -> Source:
    return Source(page=pages.check(read_text(fields, "page"), "page"), text=read_text(fields, "text"))


def _known(query: str, queries: Mapping[str, Query], key: str = "query-id") -> str:
    if query not in queries:
        raise ValueError(f"`{key}`: there is no query {query!r} in queries.jsonl")
    return query
