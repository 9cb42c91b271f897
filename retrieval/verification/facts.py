"""What the index can add: the text that was cited, and pages that may hold it now."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from retrieval.analyzer import analyze_query
from retrieval.lexical import find_by_terms
from retrieval.predicates import in_predicate
from retrieval.store import Snapshot
from retrieval.verification.model import Claim

_MAX_SEARCHES = 50
_MAX_CANDIDATES = 5
"""Pages in which one text is looked for besides its own."""
_SEARCHED_LENGTH = 400
"""Characters of a text that its page is searched by; more words make it no likelier to be found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedPage:
    """A page as the index holds it."""

    sha256: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the index says of some citations; nothing without an index.

    `pages` are theirs by path. `paths_by_page` and `texts` are by the hashes that they name, of pages and of
    passages; `paths_by_text` has the pages that hold such a passage.
    """

    pages: Mapping[str, IndexedPage] = field(default_factory=dict)
    paths_by_page: Mapping[str, Sequence[str]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    paths_by_text: Mapping[str, Sequence[str]] = field(default_factory=dict)


async def read_facts(snapshot: Snapshot, claims: Sequence[Claim]) -> Facts:
    """Reads what the index knows of some citations."""
    paths = in_predicate("path", {claim.path for claim in claims})
    rows = await snapshot.rows("pages", columns=["path", "page_sha256", "text"], where=paths)
    hashes = {claim.page_sha256 for claim in claims if claim.page_sha256}
    same = await snapshot.rows(
        "pages", columns=["path", "page_sha256"], where=in_predicate("page_sha256", hashes)
    )
    texts = {claim.text_sha256 for claim in claims if claim.text_sha256}
    chunks = await snapshot.rows(
        "chunks", columns=["path", "text_sha256", "text"], where=in_predicate("text_sha256", texts)
    )
    passages = chunks.to_pylist()
    return Facts(
        pages={
            row["path"]: IndexedPage(sha256=row["page_sha256"], text=row["text"]) for row in rows.to_pylist()
        },
        paths_by_page=_group((row["page_sha256"], row["path"]) for row in same.to_pylist()),
        texts={row["text_sha256"]: row["text"] for row in passages},
        paths_by_text=_group((row["text_sha256"], row["path"]) for row in passages),
    )


async def find_candidates(snapshot: Snapshot, texts: Iterable[str]) -> dict[str, Sequence[str]]:
    """Returns for each text the pages that are likeliest to say it, by its words."""
    found: dict[str, Sequence[str]] = {}
    for text in list(dict.fromkeys(texts))[:_MAX_SEARCHES]:
        query = analyze_query(text[:_SEARCHED_LENGTH], snapshot.generation.counts.languages)
        chunks = await find_by_terms(snapshot, query, where=None, limit=4 * _MAX_CANDIDATES)
        found[text] = tuple(dict.fromkeys(chunk.path for chunk in chunks))[:_MAX_CANDIDATES]
    return found


def _group(pairs: Iterable[tuple[str, str]]) -> dict[str, Sequence[str]]:
    grouped: dict[str, list[str]] = {}
    for key, path in sorted(set(pairs)):
        grouped.setdefault(key, []).append(path)
    return {key: paths[:_MAX_CANDIDATES] for key, paths in grouped.items()}
