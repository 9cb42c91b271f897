"""Who may read: the API token, and what the routes share."""

import secrets
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from service.wiring import Application

_bearer = HTTPBearer(auto_error=False, description="`WIKITRAIL_API_TOKEN`, where the service has one")


def get_application(request: Request) -> Application:
    """Returns the parts of this process."""
    application: Application = request.app.state.application
    return application


Parts = Annotated[Application, Depends(get_application)]


def authorize(
    application: Parts, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> None:
    """Lets a request pass that carries the API token, or any if there is none.

    Raises:
        HTTPException: 401.
    """
    token = application.settings.api_token
    if token is None:
        return
    given = credentials.credentials if credentials else ""
    # Headers are Latin-1 by now; the bytes are what was sent.
    if not secrets.compare_digest(given.encode("latin-1"), token.get_secret_value().encode()):
        raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
