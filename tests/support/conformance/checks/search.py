"""What a search answers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conformance.answers import Answer, Result
from conformance.case import Instruction, demand
from conformance.instructions import CHECKS
from conformance.world import World

_DEGRADED = "embedding-degraded"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pattern:
    """What a result must be like; what is None is left open. `line` lies in the cited range."""

    path: str
    line: int | None = None
    heading_path: list[str] | None = None
    max_span: int | None = None
    source: str | None = None

    def fits(self, result: Result) -> bool:
        """Says whether a result is like this."""
        return (
            result.path == self.path
            and (self.line is None or result.start <= self.line <= result.end)
            and (self.heading_path is None or result.heading_path == self.heading_path)
            and (self.max_span is None or result.end - result.start < self.max_span)
            and (self.source is None or self.source in result.sources)
        )


@CHECKS.add("search")
def check_search(
    world: World,
    *,
    body: Instruction,
    status: int | None = None,
    status_in: Sequence[int] = (),
    mode: str | None = None,
    graph: int | None = None,
    path_prefix: str | None = None,
    include: Sequence[Instruction] = (),
    exclude: Sequence[Instruction] = (),
    only: Sequence[str] | None = None,
    top1: Instruction | None = None,
    n: int | None = None,
    n_max: int | None = None,
    unique_results: bool = False,
    finite_scores: bool = False,
    score_min_exclusive: float | None = None,
    max_s: float | None = None,
    warning: bool | None = None,
    process: int = 1,
) -> None:
    """Searches and looks at the answer in every way that is asked for; `status_in` goes before `status`."""
    options = {"mode": mode, "graph": graph, "path_prefix": path_prefix}
    request = {**body, **{key: value for key, value in options.items() if value is not None}}
    answer = world.process(process).search(request)
    query = str(body.get("query"))[:60]
    allowed = list(status_in) or [200 if status is None else status]
    demand(answer.status in allowed, f"{query!r} answers {answer.status}: {answer.text[:500]}")
    demand(max_s is None or answer.seconds <= max_s, f"{query!r} took {answer.seconds:.2f} s")
    if answer.status != 200:
        demand("json" in answer.content_type, f"{query!r}: the error is no JSON")
        return
    results = answer.results
    _check_found(query, results, include, exclude, only, top1)
    demand(n is None or len(results) == n, f"{query!r} finds {_show(results)}, expected {n}")
    demand(n_max is None or len(results) <= n_max, f"{query!r} finds {len(results)}, at most {n_max}")
    if unique_results:
        places = [(result.path, result.start, result.end) for result in results]
        demand(len(set(places)) == len(places), f"{query!r} finds a place twice: {_show(results)}")
    _check_scores(query, results, finite=finite_scores, above=score_min_exclusive)
    _check_warning(query, answer, warning)


def _check_found(
    query: str,
    results: Sequence[Result],
    include: Sequence[Instruction],
    exclude: Sequence[Instruction],
    only: Sequence[str] | None,
    top1: Instruction | None,
) -> None:
    shown = _show(results)
    for entry in include:
        wanted = _Pattern(**entry)
        demand(any(wanted.fits(result) for result in results), f"{query!r} lacks {dict(entry)}: {shown}")
    for entry in exclude:
        unwanted = _Pattern(**entry)
        clean = not any(unwanted.fits(result) or unwanted.path in result.also_at for result in results)
        demand(clean, f"{query!r} finds {dict(entry)}: {shown}")
    if only is not None:
        paths = {path for result in results for path in (result.path, *result.also_at)}
        demand(paths == set(only), f"{query!r} finds {sorted(paths)}, expected only {list(only)}")
    if top1 is not None:
        best = _Pattern(**top1)
        demand(results and best.fits(results[0]), f"{query!r} does not begin with {dict(top1)}: {shown}")


def _check_scores(query: str, results: Sequence[Result], *, finite: bool, above: float | None) -> None:
    scores = [score for result in results for score in result.scores]
    demand(not finite or all(map(math.isfinite, scores)), f"{query!r}: scores {scores}")
    main = [result.score for result in results]
    demand(above is None or all(score > above for score in main), f"{query!r}: scores {main}")


def _check_warning(query: str, answer: Answer, expected: bool | None) -> None:
    if expected is None:
        return
    codes: list[Any] = answer.warnings
    demand((_DEGRADED in codes) == expected, f"{query!r}: warnings are {codes}")


def _show(results: Sequence[Result]) -> list[str]:
    return [f"{result.path}:{result.start}-{result.end} {sorted(result.sources)}" for result in results[:12]]
