"""What the OpenAPI document says about errors."""

from typing import Any

from fastapi import FastAPI

from service.http.problems import MEDIA_TYPE
from service.wire.problem import Problem

_DESCRIPTIONS = {
    400: "The body is not JSON",
    401: "The token is missing or wrong",
    403: "Host or origin are not those of this service, or the admin routes are off: it has no admin token",
    404: "No such wiki, generation, page, section or job",
    409: "A run is under way, or the wiki's folder is not known",
    413: "The body is too large",
    414: "The address with its parameters is too long",
    415: "The body is not declared as JSON",
    422: "A field is wrong; `errors` names it",
    429: "This client has too many requests under way",
    431: "The headers are too large",
    500: "Something unexpected; `request_id` names the request in the log",
    503: "The service has more requests than it can answer, or there is no index, or it cannot be read",
}
_RETRY_AFTER = {"description": "seconds to wait, where waiting may help", "schema": {"type": "integer"}}

Responses = dict[int | str, dict[str, Any]]


def errors(*statuses: int) -> Responses:
    """Returns the documentation of the problems that a route answers with."""
    return {status: _describe(status) for status in statuses}


def _describe(status: int) -> dict[str, Any]:
    described = {"model": Problem, "description": _DESCRIPTIONS[status]}
    return described | ({"headers": {"Retry-After": _RETRY_AFTER}} if status in (429, 503) else {})


PROBE = errors(403, 414, 431, 500)
ADMIN = PROBE | errors(401, 413, 503)
STATUS = ADMIN | errors(429)
READING = STATUS | errors(404, 422)
POSTING = READING | errors(400, 415)


def document_problems(app: FastAPI) -> None:
    """States that errors are problem+json; the framework would have them in the form of other answers."""
    for operations in app.openapi()["paths"].values():
        for operation in operations.values():
            for code, response in operation["responses"].items():
                if int(code) >= 400:
                    (content,) = response["content"].values()
                    response["content"] = {MEDIA_TYPE: content}
