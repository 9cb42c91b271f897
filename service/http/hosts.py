"""Which names this service answers to, and which sites may send requests to it from a browser."""

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from service.authority import is_loopback, parse_address, parse_host, parse_origin
from service.http.refusals import refuse


class SiteCheck:
    """ASGI middleware against pages of other sites that make a browser ask this service.

    A connection over loopback must name a loopback address, `localhost` or one of `hosts`: a site whose name
    was pointed at 127.0.0.1 names itself. On other connections any name will do unless there are `hosts`. The
    very address that was connected to always will: no other site can take that for its name.

    A request with an `Origin` must come from the host that it names, or from one of `origins`.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], origins: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or answers 403."""
        code = self._find_fault(scope) if scope["type"] == "http" else None
        await (refuse(code) if code else self._app)(scope, receive, send)

    def _find_fault(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        named, origins = headers.getlist("host"), headers.getlist("origin")
        if len(named) != 1 or not self._answers_to(named[0], scope):
            return "host-not-allowed"
        if len(origins) > 1 or any(not self._may_send(origin, named[0]) for origin in origins):
            return "origin-not-allowed"
        return None

    def _answers_to(self, authority: str, scope: Scope) -> bool:
        host = parse_host(authority)
        if host is None or host in self._hosts:
            return host is not None
        here, _ = scope.get("server") or ("", None)
        if is_loopback(here):
            return host == "localhost" or is_loopback(host)
        return host == parse_address(here) or not self._hosts

    def _may_send(self, origin: str, authority: str) -> bool:
        parsed = parse_origin(origin)
        if parsed is None:
            return False
        # The scheme is not compared: behind a proxy that ends TLS it is another one here.
        return parsed[1] == authority.lower() or "://".join(parsed) in self._origins
