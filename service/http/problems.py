"""From errors to HTTP answers: the one table, and the handlers that use it.

What the client can mend is told in the error's own words, which name only what it sent and what the wiki
holds. Other words may name places of this machine: they go to the log, and the client gets those below.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException

from chunking import UndecodablePage, WikitrailError
from indexer.errors import (
    IndexMoved,
    IndexRunError,
    InvalidPath,
    InvalidPattern,
    RootEmpty,
    RootUnavailable,
)
from retrieval.embedding.passage_scorer import ScorerError
from retrieval.embedding.port import EmbedderError
from retrieval.errors import LanguageGuessFailed, PageMissing, RerankMissing, SectionMissing
from retrieval.filters import InvalidFilter
from retrieval.llm.port import ChooserError
from retrieval.store import (
    DiskFull,
    GenerationMissing,
    IndexBusy,
    IndexDamaged,
    IndexFormatUnknown,
    IndexMissing,
    IndexOutdated,
    IndexReadOnly,
    IndexTooNew,
    LeaseLost,
    SnapshotLost,
    StoreError,
)
from service.errors import (
    AddressUnavailable,
    AdminDisabled,
    FolderUnknown,
    InvalidGate,
    InvalidSet,
    InvalidSettings,
    JobMissing,
    JobRunning,
    TuningImpossible,
    WikiMissing,
)
from service.observability.request_id import current_request_id
from service.wire.problem import FieldProblem, ItemProblem, Problem

MEDIA_TYPE = "application/problem+json"
INTERNAL_ERROR = "internal-error"
INVALID_REQUEST = "invalid-request"
MALFORMED_BODY = "malformed-body"

_MAX_ERRORS = 20
_MAX_FIELD_LENGTH = 200
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The status of an error, and what to say; without `detail` the error speaks for itself."""

    status: int
    detail: str | None = None


_BROKEN = "The service could not answer; its log has the cause."

ANSWERS: Mapping[type[WikitrailError], Answer] = {
    WikitrailError: Answer(status=500, detail=_BROKEN),
    UndecodablePage: Answer(status=500, detail="A page is not text."),
    InvalidFilter: Answer(status=422),
    LanguageGuessFailed: Answer(status=503, detail="There is no room for temporary files; make some."),
    RerankMissing: Answer(status=422),
    PageMissing: Answer(status=404),
    SectionMissing: Answer(status=404),
    WikiMissing: Answer(status=404),
    GenerationMissing: Answer(status=404),
    StoreError: Answer(status=503, detail="The index cannot be read at the moment; try again."),
    IndexMissing: Answer(status=503, detail="The wiki has no index yet; run `wikitrail index`."),
    IndexBusy: Answer(status=409, detail="Another run writes the index; wait for it to end."),
    LeaseLost: Answer(status=409, detail="Another run took the index over; run again."),
    IndexReadOnly: Answer(
        status=503, detail="The place of the index is read-only for the service, or closed to it."
    ),
    DiskFull: Answer(
        status=503, detail="The disk that holds the index is full; free some space and run again."
    ),
    IndexDamaged: Answer(
        status=503, detail="The index is damaged; rebuild it with `wikitrail index --full`."
    ),
    IndexFormatUnknown: Answer(
        status=503, detail="What is at the place of the index is no index; give it another place."
    ),
    IndexOutdated: Answer(
        status=503, detail="An older version of wikitrail wrote the index; run `wikitrail index`."
    ),
    IndexTooNew: Answer(
        status=503, detail="A newer version of wikitrail wrote the index; upgrade this one, or rebuild it."
    ),
    SnapshotLost: Answer(status=503, detail="The index moved on while it was read; try again."),
    EmbedderError: Answer(status=503, detail="The embedding model cannot be used."),
    ScorerError: Answer(status=503, detail="The cross-encoder cannot be used."),
    ChooserError: Answer(status=503, detail="The language model cannot be used."),
    IndexRunError: Answer(status=500, detail="The index run stopped."),
    RootUnavailable: Answer(status=503, detail="The wiki's folder cannot be read."),
    RootEmpty: Answer(status=409, detail="The wiki's folder is empty and its index is not."),
    InvalidPattern: Answer(status=500, detail="An include or exclude pattern of the settings is wrong."),
    InvalidPath: Answer(status=422),
    IndexMoved: Answer(status=409, detail="Other runs keep changing the index; try again."),
    FolderUnknown: Answer(status=409, detail="The wiki's folder is not known to this service."),
    AdminDisabled: Answer(
        status=403, detail="The admin routes are off; start the service with WIKITRAIL_ADMIN_TOKEN set."
    ),
    JobMissing: Answer(status=404),
    JobRunning: Answer(
        status=409, detail="The wiki is being indexed; wait for the job to end, or cancel it."
    ),
    InvalidSettings: Answer(status=500, detail="The settings of the service are wrong."),
    AddressUnavailable: Answer(status=500, detail="The service cannot listen at its address."),
    InvalidSet: Answer(status=500, detail="A file of the evaluation set is wrong."),
    InvalidGate: Answer(status=500, detail="The floors of the evaluation are wrong."),
    TuningImpossible: Answer(status=409, detail="The wiki cannot be tuned as its index is now."),
}

_CODES = {
    400: MALFORMED_BODY,
    401: "unauthorized",
    404: "not-found",
    405: "method-not-allowed",
}
_DETAILS = {
    400: "The body is not JSON.",
    401: "Give the token as `Authorization: Bearer TOKEN`; the admin routes take one of their own.",
    404: "There is nothing at this address.",
    405: "This address does not know the method.",
}


class ProblemResponse(JSONResponse):
    """A problem; ASCII, because field names of a request may hold what UTF-8 cannot."""

    media_type = MEDIA_TYPE

    def render(self, content: Any) -> bytes:
        """Returns `content` as ASCII JSON."""
        return json.dumps(content, allow_nan=False).encode("ascii")


def add_handlers(app: FastAPI) -> None:
    """Makes every error of `app` a problem."""
    app.add_exception_handler(WikitrailError, _answer_expected)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(HTTPException, _answer_protocol)
    app.add_exception_handler(Exception, _answer_unexpected)


def describe_error(error: Exception) -> ItemProblem:
    """Returns what may be told of an error, in a batch of answers or of a job."""
    if not isinstance(error, WikitrailError):
        return ItemProblem(status=500, code=INTERNAL_ERROR, detail=_BROKEN)
    answer = ANSWERS[type(error)]
    return ItemProblem(status=answer.status, code=error.code, detail=answer.detail or str(error))


def make_problem(
    status: int,
    code: str,
    detail: str,
    *,
    errors: Sequence[FieldProblem] = (),
    headers: Mapping[str, str] | None = None,
) -> ProblemResponse:
    """Returns the response that tells of a problem."""
    problem = Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        code=code,
        detail=detail,
        errors=list(errors),
        request_id=current_request_id(),
    )
    return ProblemResponse(problem.model_dump(), status_code=status, headers=headers)


def _answer_expected(_: Request, error: Exception) -> ProblemResponse:
    if not isinstance(error, WikitrailError):
        raise error
    answer = ANSWERS[type(error)]
    if answer.detail is not None:
        _log.warning("%s: %s", error.code, error, exc_info=error if answer.status == 500 else None)
    problems = error.problems if isinstance(error, (InvalidFilter, RerankMissing)) else {}
    return make_problem(
        answer.status,
        error.code,
        answer.detail or str(error),
        errors=[_field_problem(at, message) for at, message in problems.items()][:_MAX_ERRORS],
    )


def _answer_invalid(_: Request, error: Exception) -> ProblemResponse:
    if not isinstance(error, RequestValidationError):
        raise error
    found = error.errors()[:_MAX_ERRORS]
    if any(problem["type"] == "json_invalid" for problem in found):
        return make_problem(400, MALFORMED_BODY, _DETAILS[400])
    if isinstance(error.body, bytes):
        return make_problem(415, "unsupported-media-type", "Send the body as `application/json`.")
    errors = [_field_problem(_name_place(problem["loc"]), problem["msg"]) for problem in found]
    detail = "; ".join(f"{entry.field}: {entry.message}" for entry in errors)
    return make_problem(422, INVALID_REQUEST, detail, errors=errors)


def _answer_protocol(request: Request, error: Exception) -> ProblemResponse:
    if not isinstance(error, HTTPException):
        raise error
    status = error.status_code
    return make_problem(
        status,
        _CODES.get(status, INVALID_REQUEST),
        _DETAILS.get(status, HTTPStatus(status).phrase),
        headers=_allow(request) if status == 405 else error.headers,
    )


def _allow(request: Request) -> dict[str, str]:
    """Returns the header with all methods of an address; the framework knows those of its first route."""
    routes = iter_route_contexts(request.app.routes)
    fitting = (route.methods or set() for route in routes if route.path_regex.match(request.url.path))
    return {"Allow": ", ".join(sorted(set().union(*fitting)))}


def _answer_unexpected(_: Request, error: Exception) -> ProblemResponse:
    _log.error("a request failed", exc_info=error)
    return make_problem(500, INTERNAL_ERROR, _BROKEN)


def _field_problem(at: str, message: str) -> FieldProblem:
    return FieldProblem(field=at[:_MAX_FIELD_LENGTH], message=message.removeprefix("Value error, "))


def _name_place(place: Sequence[str | int]) -> str:
    """Returns `pages[0].path` for ("body", "pages", 0, "path"), and "body" for the body itself."""
    name = ""
    for step in place[1:]:
        name += f"[{step}]" if isinstance(step, int) else f".{step}" if name else step
    return name or str(place[0])
