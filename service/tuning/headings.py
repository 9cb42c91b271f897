"""Hiding headings: the page is parsed again as it would be if the words of one heading were not written."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import regex

from chunking.model import Span
from chunking.options import ChunkingOptions
from indexer.page_text import choose_page_text
from indexer.reading import ParsedPage, restore_page
from indexer.rows import chunk_rows
from retrieval import schema
from retrieval.embedding.port import Embedder, EmbeddingRole
from retrieval.outline import decode_outline
from retrieval.predicates import in_predicate
from retrieval.store import Snapshot, Vector
from service.tuning.disguise import Disguise
from service.tuning.labels import Label
from service.tuning.progress import Progress

_MOST_CHUNKS = 4
_BATCH = 64
_PAGES_AT_ONCE = 64
_MARKED = regex.compile(r"( {0,3}#{1,6})[ \t][^\r\n]*+")

_Text = tuple[EmbeddingRole, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hidden:
    """A page without a heading: terms of the chunks that held its words, and the texts to embed, by id."""

    terms: Mapping[str, str]
    page_terms: int
    chunks: Mapping[str, _Text]
    page: Mapping[str, _Text]

    @property
    def texts(self) -> Iterator[_Text]:
        yield from self.chunks.values()
        yield from self.page.values()


class HeadingHider:
    """Makes disguises for labels of headings, with the options and the model of the index."""

    def __init__(self, snapshot: Snapshot, embedder: Embedder, *, progress: Progress) -> None:
        build = snapshot.generation.build
        dialect: Any = build.dialect  # a log row holds it as text
        self._snapshot = snapshot
        self._embedder = embedder
        self._options = ChunkingOptions(dialect=dialect, max_tokens=build.max_tokens)
        self._language = build.language
        self._progress = progress

    async def hide(self, labels: Iterable[Label]) -> dict[Label, Disguise]:
        """Returns a disguise for each label of a heading, but for those that cannot be hidden.

        These are headings with more text below them than is worth embedding again, and such that are written
        in another way than with `#`.

        Raises:
            EmbedderError: The model failed.
        """
        found = {label: hidden async for label, hidden in self._find(labels)}
        texts = list(dict.fromkeys(text for hidden in found.values() for text in hidden.texts))
        vectors = await self._embed(texts)
        return {
            label: Disguise(
                page_id=next(iter(hidden.page)),
                terms=hidden.terms,
                page_terms=hidden.page_terms,
                chunk_vectors={name: vectors[text] for name, text in hidden.chunks.items()},
                page_vectors={name: vectors[text] for name, text in hidden.page.items()},
            )
            for label, hidden in found.items()
        }

    async def _find(self, labels: Iterable[Label]) -> AsyncIterator[tuple[Label, _Hidden]]:
        wanted: dict[str, list[Label]] = {}
        for label in labels:
            if label.section is not None:
                wanted.setdefault(label.places[0].path, []).append(label)
        paths = sorted(wanted)
        for start in range(0, len(paths), _PAGES_AT_ONCE):
            where = in_predicate("path", paths[start : start + _PAGES_AT_ONCE])
            rows = await self._snapshot.rows("pages", columns=schema.PAGES.names, where=where)
            for row in sorted(rows.to_pylist(), key=lambda row: str(row["path"])):
                for label in wanted[row["path"]]:
                    hidden = await asyncio.to_thread(self._hide_heading, row, label)
                    if hidden is not None:
                        yield label, hidden

    async def _embed(self, texts: Sequence[_Text]) -> dict[_Text, Vector]:
        vectors: dict[_Text, Vector] = {}
        self._progress.start("embed", len(texts))
        for role in sorted({role for role, _ in texts}):
            alike = sorted((text for text in texts if text[0] == role), key=lambda text: len(text[1]))
            for start in range(0, len(alike), _BATCH):
                batch = alike[start : start + _BATCH]
                made = await asyncio.to_thread(self._embedder.embed, [text for _, text in batch], role)
                vectors.update(zip(batch, made, strict=True))
                self._progress.advance(len(batch))
        self._progress.finish()
        return vectors

    def _hide_heading(self, row: Mapping[str, Any], label: Label) -> _Hidden | None:
        section = decode_outline(row["outline"]).sections[label.section or 0]
        without = _blank_heading(row["text"], section.span)
        if without is None:
            return None
        shown, hidden = self._parse(row), self._parse({**row, "text": without})
        if len(shown.page.chunks) != len(hidden.page.chunks):
            return None  # the words moved a border, so nothing can be compared
        pairs = zip(shown.page.chunks, hidden.page.chunks, strict=True)
        changed = [(old, new) for old, new in pairs if old.embedded_text != new.embedded_text]
        if all(new.heading_only for _, new in changed) or len(changed) > _MOST_CHUNKS:
            return None
        terms = _read_terms(hidden)
        return _Hidden(
            terms={old.chunk_id: terms[new.chunk_id] for old, new in changed},
            page_terms=sum(len(some.split()) for some in terms.values()),
            chunks={old.chunk_id: ("chunk", new.embedded_text) for old, new in changed if new.embedded_text},
            page={row["page_id"]: choose_page_text(hidden.page, self._embedder.counter)},
        )

    def _parse(self, row: Mapping[str, Any]) -> ParsedPage:
        return restore_page(row, self._options, language=self._language, counter=self._embedder.counter)


def _read_terms(page: ParsedPage) -> dict[str, str]:
    rows = chunk_rows([page])
    return dict(zip(rows["chunk_id"].to_pylist(), rows["terms"].to_pylist(), strict=True))


def _blank_heading(text: str, span: Span) -> str | None:
    """Returns the page with nothing but `#` where the heading at `span` begins."""
    heading = _MARKED.match(text, span.char_start)
    return None if heading is None else f"{text[: heading.end(1)]}{text[heading.end() :]}"
