"""Who may read, who may administer, and what the routes share."""

import secrets
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import SecretStr

from service.errors import AdminDisabled
from service.jobs.queue import JobQueue
from service.wiring import Application

_reader = HTTPBearer(
    scheme_name="api-token",
    auto_error=False,
    description="`WIKITRAIL_API_TOKEN`, where the service has one",
)
_admin = HTTPBearer(scheme_name="admin-token", auto_error=False, description="`WIKITRAIL_ADMIN_TOKEN`")


def get_application(request: Request) -> Application:
    """Returns the parts of this process."""
    application: Application = request.app.state.application
    return application


def get_jobs(request: Request) -> JobQueue:
    """Returns the index jobs of this process."""
    jobs: JobQueue = request.app.state.jobs
    return jobs


Parts = Annotated[Application, Depends(get_application)]
Jobs = Annotated[JobQueue, Depends(get_jobs)]


def authorize(
    application: Parts, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_reader)]
) -> None:
    """Lets a request pass that carries the API token, or any if there is none.

    Raises:
        HTTPException: 401.
    """
    token = application.settings.api_token
    if token is not None:
        _compare(credentials, token)


def authorize_admin(
    application: Parts, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_admin)]
) -> None:
    """Lets a request pass that carries the admin token; that of reading does not count here.

    Raises:
        AdminDisabled: There is no admin token, so that nobody may.
        HTTPException: 401.
    """
    token = application.settings.admin_token
    if token is None:
        raise AdminDisabled("the admin routes are off: no admin token is set")
    _compare(credentials, token)


def _compare(credentials: HTTPAuthorizationCredentials | None, token: SecretStr) -> None:
    given = credentials.credentials if credentials else ""
    # Headers are Latin-1 by now; the bytes are what was sent.
    if not secrets.compare_digest(given.encode("latin-1"), token.get_secret_value().encode()):
        raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
