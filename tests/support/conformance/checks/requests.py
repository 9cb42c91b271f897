"""Requests of every form, well made or not."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from conformance.answers import Answer
from conformance.case import UnknownInstruction, demand
from conformance.instructions import CHECKS
from conformance.service import ADMIN_TOKEN, HEALTH, REINDEX, SEARCH, to_place
from conformance.world import World

_REQUEST_KEYS = {"method", "path", "variants", "raw_variants"}
_REFUSED = (401, 403, 404)


@CHECKS.add("http")
def check_http(
    world: World,
    *,
    method: str,
    path: str,
    status_in: Sequence[int],
    headers: Mapping[str, str] | None = None,
    json_error: bool = False,
) -> None:
    """Sends a request, without `headers` with the admin token; header values are percent-encoded bytes."""
    if headers is None:
        answer = world.service.administer(method, to_place(path))
    else:
        answer = world.service.request(method, to_place(path), headers=_to_bytes(headers))
    demand(
        answer.status in status_in, f"{method} {path} {headers} answers {answer.status}: {answer.text[:300]}"
    )
    if json_error:
        demand("json" in answer.content_type and answer.json["detail"], f"the error says {answer.text[:300]}")


@CHECKS.add("health")
def check_health(world: World, *, status: int = 200) -> None:
    """The process says that it runs."""
    answer = world.service.request("GET", HEALTH)
    demand(answer.status == status, f"health answers {answer.status}")


@CHECKS.add("raw_http_variants")
def check_raw_http_variants(world: World, *, status_in: Sequence[int], never: int) -> None:
    """Sends every raw body of the request; afterwards the service answers as before."""
    place = to_place(world.case.request["path"])
    for body in world.case.request["raw_variants"]:
        raw = _spell_out(body).replace('"top_k"', '"k"').encode("utf-8", "surrogatepass")
        answer = world.service.request(
            world.case.request["method"], place, content=raw, headers={"Content-Type": "application/json"}
        )
        shown = f"{raw[:40]!r} answers {answer.status}: {answer.text[:300]}"
        demand(answer.status in status_in and answer.status != never, shown)
        demand("json" in answer.content_type, shown)
    after = world.service.search({"query": "x"})
    demand(after.status == 200, f"afterwards a search answers {after.status}: {after.text[:300]}")


def try_request_variants(world: World) -> None:
    """Sends the variants of a request that no check repeats: none of them may break the service.

    Those of a search are bodies, those of a page are checked by `document_variants`, and those of the
    reindexing endpoint are headers, or a query, that must be refused.
    """
    request = world.case.request
    if unknown := request.keys() - _REQUEST_KEYS:
        raise UnknownInstruction(f"unknown keys of a request: {sorted(unknown)}")
    place = to_place(request.get("path", SEARCH))
    for variant in request.get("variants", ()):
        if place == SEARCH:
            answer = world.service.search(variant)
            demand(answer.status < 500, f"{variant} answers {answer.status}: {answer.text[:300]}")
        elif place == REINDEX:
            answer = _send_reindex(world, variant)
            demand(answer.status in _REFUSED, f"{variant} answers {answer.status}: {answer.text[:300]}")


def _send_reindex(world: World, variant: Mapping[str, str]) -> Answer:
    headers = {name: value for name, value in variant.items() if name != "query"}
    query = variant.get("query", "").replace("<good>", quote(ADMIN_TOKEN))
    return world.service.request("POST", REINDEX + query, headers=_to_bytes(headers))


def _to_bytes(headers: Mapping[str, str]) -> dict[str, bytes]:
    return {name: unquote_to_bytes(value) for name, value in headers.items()}


def _spell_out(body: Any) -> str:
    if isinstance(body, str):
        return body
    text, times = body["repeat"]
    return str(text) * int(times)
