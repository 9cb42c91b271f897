"""Searches and their answers, in the words of the cases."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_SOURCES = {"dense": "vector", "lexical": "bm25", "graph": "graph"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A passage found; `also_at` are the paths of its twins, `scores` all the scores it has."""

    path: str
    heading_path: list[str]
    start: int
    end: int
    score: float
    scores: tuple[float, ...]
    sources: frozenset[str]
    also_at: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An HTTP answer and how long it took; `text` is its body."""

    status: int
    text: str
    content_type: str
    seconds: float

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.text)

    @property
    def results(self) -> list[Result]:
        """The passages of an evidence pack."""
        return [_to_result(entry) for entry in self.json["evidence"]]

    @property
    def warnings(self) -> list[str]:
        """The codes of the warnings of an evidence pack."""
        return [warning["code"] for warning in self.json["warnings"]]


def to_request(body: Mapping[str, Any]) -> dict[str, Any]:
    """Turns a search of the cases into ours: `top_k` is `k`, `graph` the hops of expansion."""
    request = {"k" if key == "top_k" else key: _spell_out(value) for key, value in body.items()}
    if "graph" in request:
        request["expand"] = {"hops": request.pop("graph")}
    return request


def _spell_out(value: Any) -> Any:
    if isinstance(value, Mapping) and "repeat" in value:
        text, times = value["repeat"]
        return text * times + value.get("suffix", "")
    return value


def _to_result(entry: Mapping[str, Any]) -> Result:
    citation, scores = entry["citation"], entry["scores"]
    seen = {source for lane, source in _SOURCES.items() if scores[lane] is not None}
    if entry["origin"] == "expanded":
        seen.add("graph")
    return Result(
        path=citation["path"],
        heading_path=citation["heading_path"],
        start=citation["line_start"],
        end=citation["line_end"],
        score=entry["score"],
        scores=(entry["score"], *(score for score in scores.values() if score is not None)),
        sources=frozenset(seen),
        also_at=tuple(twin["path"] for twin in entry["also_at"]),
    )
