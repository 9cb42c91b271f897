"""What was seen of the files that a pack would cite, and of the pages they were indexed as."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from retrieval.excerpt import Excerpt
from retrieval.live import LIVE_THREADS, LiveWiki, Look, look_at
from retrieval.predicates import in_predicate
from retrieval.repair import ChangedPage
from retrieval.store import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """The looks at files by path, the pages of changed ones, and the texts of the index that were needed."""

    looks: Mapping[str, Look]
    texts: Mapping[str, str]
    pages: Mapping[str, ChangedPage] = field(default_factory=dict)

    def look(self, path: str) -> Look:
        """Returns what was seen of a file."""
        return self.looks.get(path, _NO_LOOK)

    @property
    def differing(self) -> int:
        """How many of the files are not as they were indexed."""
        return sum(look.state in ("changed", "gone") for look in self.looks.values())


_NO_LOOK = Look(state="unreadable")
UNSEEN = Sighting(looks={}, texts={})
"""What is seen without files, or of files that do not come in time."""

_LOOK_SECONDS = 2.0
"""How long a query waits for the files it cites; a local disk takes milliseconds."""


async def look_around(snapshot: Snapshot, excerpts: Sequence[Excerpt], wiki: LiveWiki) -> Sighting:
    """Looks once at each file that the excerpts are in, also elsewhere, or were linked from."""
    hashes = await _read_hashes(snapshot, excerpts)
    try:
        looks = await LIVE_THREADS.call(lambda: _look_at_all(hashes, wiki), seconds=_LOOK_SECONDS)
    except TimeoutError:
        return UNSEEN
    wanted = {path for path, look in looks.items() if look.state == "changed" and look.text is not None}
    # A copy may have to stand in for a passage that is lost.
    for excerpt in excerpts:
        if looks[excerpt.passage.best.path].state in ("changed", "gone"):
            wanted.update(twin[0].path for twin in excerpt.passage.twins)
    texts = await _read_texts(snapshot, wanted)
    pages = {
        path: ChangedPage(path, old=texts[path], new=look.text, dialect=wiki.dialect)
        for path, look in looks.items()
        if look.text is not None and path in texts
    }
    return Sighting(looks=looks, texts=texts, pages=pages)


def _look_at_all(hashes: Mapping[str, str], wiki: LiveWiki) -> dict[str, Look]:
    return {path: look_at(path, sha256, wiki.read) for path, sha256 in hashes.items()}


async def _read_hashes(snapshot: Snapshot, excerpts: Sequence[Excerpt]) -> dict[str, str]:
    """Returns the hash of each page's bytes as they were indexed, by path."""
    hashes = {
        place.path: place.page_sha256
        for excerpt in excerpts
        for place in (excerpt.passage.best, *(twin[0] for twin in excerpt.passage.twins))
    }
    sources = {via.source for excerpt in excerpts for via in excerpt.passage.best.via} - hashes.keys()
    if sources:
        where = in_predicate("path", sources)
        rows = await snapshot.rows("pages", columns=["path", "page_sha256"], where=where)
        hashes |= zip(rows["path"].to_pylist(), rows["page_sha256"].to_pylist(), strict=True)
    return hashes


async def _read_texts(snapshot: Snapshot, paths: set[str]) -> dict[str, str]:
    if not paths:
        return {}
    rows = await snapshot.rows("pages", columns=["path", "text"], where=in_predicate("path", paths))
    return dict(zip(rows["path"].to_pylist(), rows["text"].to_pylist(), strict=True))
