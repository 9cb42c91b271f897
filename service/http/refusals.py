"""Answers to requests that do not come as far as their route."""

from collections.abc import Mapping

from service.http.problems import ProblemResponse, make_problem

REFUSALS: Mapping[str, tuple[int, str]] = {
    "malformed-request": (400, "This is not HTTP."),
    "host-not-allowed": (403, "The service does not answer to this name; see server.allowed_hosts."),
    "origin-not-allowed": (403, "Pages of this site may not ask the service; see server.allowed_origins."),
    "request-timeout": (408, "The request took too long to arrive."),
    "body-too-large": (413, "The body is larger than this service takes."),
    "target-too-long": (414, "The address with its parameters is too long."),
    "too-many-requests": (429, "This client has too many requests under way; wait for some to end."),
    "headers-too-large": (431, "The headers are larger than this service takes."),
    "shutting-down": (503, "The service ends before it could answer; ask again."),
    "overloaded": (503, "The service has more requests than it can answer; try again."),
}
"""Status and words by code."""


def refuse(code: str, *, headers: Mapping[str, str] | None = None) -> ProblemResponse:
    """Returns the answer that refuses a request for the reason of this code."""
    status, detail = REFUSALS[code]
    return make_problem(status, code, detail, headers=headers)
