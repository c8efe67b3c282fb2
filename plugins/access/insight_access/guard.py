"""Lets clients through that have a token, a cookie or a proxy that names them; answers 401 to all others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, unquote_plus

from attrs import field, frozen
from werkzeug import Request, Response

from insight_access.answers import refusal, wants_page
from insight_access.cookies import cookie_of, is_in_foreign_frame, set_cookie
from insight_access.keys import Key, Keys
from insight_core.plugin import AppSettings
from insight_core.plugin.http import READ_ONLY

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_FORM = "application/x-www-form-urlencoded"
_LARGEST_FORM = 4096  # bytes
_LINK_TOKEN = "insight.link_token"  # see AppSettings
_LONGEST_NAME = 200  # characters of a user


def _environ_name(header: str | None) -> str | None:
    return None if header is None else f"HTTP_{header.upper().replace('-', '_')}"


@frozen(eq=False)
class Guard:
    """The WSGI application around the host.

    ``header`` is the one in which a proxy names the user. With ``trusts_all`` it is believed without a token,
    and clients with neither are refused, but for ``/healthz``.
    """

    app: WSGIApplication
    keys: Keys
    settings: AppSettings
    header: str | None = field(default=None, converter=_environ_name)
    trusts_all: bool = False

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        said = environ.pop(self.header, None) if self.header is not None else None
        bearer = self._bearer(environ)
        user = _user(said) if bearer is not None or self.trusts_all else None
        key = bearer
        if user is None and bearer is None:
            answer = self._opened(environ)
            if answer is not None:
                return answer(environ, start_response)
            key = self.keys.by_cookie(cookie_of(environ))
            if key is None and not self._is_probe(environ):
                return self._refused(environ)(environ, start_response)
        if user is not None:
            environ["REMOTE_USER"] = user
        environ[READ_ONLY] = (key is not None and not key.may_save) or self._is_probe(environ)
        if key is not None and user is None:  # whom a proxy names, the proxy lets in
            environ[_LINK_TOKEN] = self.keys.of_guests
        return self.app(environ, start_response)

    def _bearer(self, environ: WSGIEnvironment) -> Key | None:
        scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
        key = self.keys.by_token(token.strip()) if scheme.lower() == "bearer" else None
        if key is not None:
            del environ["HTTP_AUTHORIZATION"]  # nothing behind the guard needs to know it
        return key

    def _opened(self, environ: WSGIEnvironment) -> Response | None:
        """The way to the page without the token, for an address or a form with the token."""
        if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
            values = parse_qs(environ.get("QUERY_STRING", "")).get("token", [])
            in_foreign_frame = is_in_foreign_frame(environ)
        elif environ["REQUEST_METHOD"] == "POST" and wants_page(environ) and self._is_own_form(environ):
            form = _form(environ)
            values, in_foreign_frame = form.get("token", []), form.get("framed") == ["1"]
        else:
            return None
        for value in values:
            key = self.keys.by_token(value.strip())
            if key is not None:
                path = self.settings.path_prefix or "/"
                answer = Response(status=303)
                answer.headers["Location"] = _without_token(environ)
                answer.headers["Set-Cookie"] = set_cookie(
                    environ, key.cookie, path, in_foreign_frame=in_foreign_frame
                )
                answer.headers["Referrer-Policy"] = "no-referrer"
                answer.headers["Cache-Control"] = "no-store"
                return answer
        return None

    def _is_probe(self, environ: WSGIEnvironment) -> bool:
        """Whether a container asks if the host lives: it has no token, and the answer tells nothing else."""
        is_health = environ.get("PATH_INFO") == f"{self.settings.path_prefix}/healthz"
        return is_health and environ["REQUEST_METHOD"] in ("GET", "HEAD")

    def _is_own_form(self, environ: WSGIEnvironment) -> bool:
        """Whether a form was sent from a page of this host: another site must not make a user its guest."""
        site = environ.get("HTTP_SEC_FETCH_SITE")
        if site is not None:
            return bool(site == "same-origin")
        origin = environ.get("HTTP_ORIGIN")
        if origin is None:  # not a browser
            return True
        place = origin.partition("://")[2].lower()
        allowed = {environ.get("HTTP_HOST", "").lower(), *map(str.lower, self.settings.allowed_hosts)}
        return place in allowed or place.partition(":")[0] in allowed

    def _refused(self, environ: WSGIEnvironment) -> Response:
        tried = environ["REQUEST_METHOD"] == "POST" or "token=" in environ.get("QUERY_STRING", "")
        return refusal(environ, tried=tried, frame_ancestors=self.settings.frame_ancestors)


def _user(said: str | None) -> str | None:
    """The user in the header of the proxy; None if it names none.

    A comma is where two headers were joined: that of the proxy and one that the client sent itself.
    """
    name = (said or "").strip()
    return name if name and "," not in name and len(name) <= _LONGEST_NAME else None


def _form(environ: WSGIEnvironment) -> dict[str, list[str]]:
    request = Request(environ)
    if request.mimetype != _FORM or not 0 < (request.content_length or 0) <= _LARGEST_FORM:
        return {}
    return parse_qs(request.get_data(cache=False).decode("ascii", "replace"))


def _without_token(environ: WSGIEnvironment) -> str:
    """The same address without ``token``. Relative, so that it works behind a proxy that adds a prefix."""
    last = quote(environ.get("PATH_INFO", "").rpartition("/")[2].encode("latin1"))
    pairs = environ.get("QUERY_STRING", "").split("&")
    rest = "&".join(pair for pair in pairs if pair and unquote_plus(pair.partition("=")[0]) != "token")
    return f"./{last}" + (f"?{rest}" if rest else "")
