"""Whether cited files still hold what the index quotes, checked against the live files at query time."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from retrieval.pack import Evidence

ReadLive = Callable[[str], bytes]
"""Reads a page's file by path; raises FileNotFoundError where it is gone, OSError where it cannot be read."""

_State = Literal["fresh", "stale", "unknown", "gone"]


async def check_freshness(
    evidence: Sequence[Evidence], read_live: ReadLive | None
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """Returns the evidence with its freshness, and the paths of the pages that changed or went.

    Evidence of a deleted page is left out: what is gone is never quoted. Without live files all is `unknown`.
    """
    if read_live is None:
        return tuple(evidence), ()
    pages = {passage.citation.path: passage.citation.page_sha256 for passage in evidence}
    states = await asyncio.to_thread(_compare, pages, read_live)
    present = [passage for passage in evidence if states[passage.citation.path] != "gone"]
    marked = [_mark(passage, states[passage.citation.path], rank) for rank, passage in enumerate(present, 1)]
    return tuple(marked), tuple(sorted(path for path, state in states.items() if state in ("stale", "gone")))


def _compare(pages: Mapping[str, str], read_live: ReadLive) -> dict[str, _State]:
    return {path: _state(path, sha256, read_live) for path, sha256 in pages.items()}


def _state(path: str, sha256: str, read_live: ReadLive) -> _State:
    try:
        raw = read_live(path)
    except FileNotFoundError:
        return "gone"
    except OSError:
        return "unknown"
    return "fresh" if hashlib.sha256(raw).hexdigest() == sha256 else "stale"


def _mark(passage: Evidence, state: _State, rank: int) -> Evidence:
    if state == "gone":
        raise ValueError("evidence of a deleted page is not marked but left out")
    return replace(passage, rank=rank, citation=replace(passage.citation, freshness=state))
