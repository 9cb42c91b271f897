"""What the OpenAPI document says about errors."""

from typing import Any

from fastapi import FastAPI

from service.http.problems import MEDIA_TYPE
from service.wire.problem import Problem

_DESCRIPTIONS = {
    400: "The body is not JSON",
    401: "The token is missing or wrong",
    403: "The admin routes are off: the service has no admin token",
    404: "No such wiki, generation, page, section or job",
    409: "A run is under way, or the wiki's folder is not known",
    413: "The body is too large",
    415: "The body is not declared as JSON",
    422: "A field is wrong; `errors` names it",
    500: "Something unexpected; `request_id` names the request in the log",
    503: "There is no index, or it cannot be read",
}

Responses = dict[int | str, dict[str, Any]]


def errors(*statuses: int) -> Responses:
    """Returns the documentation of the problems that a route answers with."""
    return {status: {"model": Problem, "description": _DESCRIPTIONS[status]} for status in statuses}


READING = errors(401, 404, 422, 500, 503)
POSTING = errors(400, 401, 404, 413, 415, 422, 500, 503)
ADMIN = errors(401, 403, 500)


def document_problems(app: FastAPI) -> None:
    """States that errors are problem+json; the framework would have them in the form of other answers."""
    for operations in app.openapi()["paths"].values():
        for operation in operations.values():
            for code, response in operation["responses"].items():
                if int(code) >= 400:
                    (content,) = response["content"].values()
                    response["content"] = {MEDIA_TYPE: content}
