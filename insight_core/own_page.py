"""Accepts writes only from the host's own page."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from typing import ClassVar

from attrs import field, frozen
from werkzeug import Request

from insight_core.errors import Forbidden, InvalidArgument, TooLarge
from insight_core.http.answers import may_save
from insight_core.http.parameters import Parameter, Reader, headers
from insight_record.formats.reason import ReasonKind

READ_ONLY_CLIENT = "you may look at everything here, and change nothing"  # Why a guest may not write.
TOKEN_HEADER = "X-Insight-Token"  # Of a request that writes.
_LARGE_BODY = ReasonKind("large_body", "the body has more than {most:,} bytes")
_BODY_NOT_JSON = ReasonKind("body_not_json", "the body is not valid JSON: {cause}")


# What ``body_of`` reads.
BODY: Reader[None] = Reader(
    "", lambda request: None, [Parameter("", {"type": "object"}, is_required=True, where="body")]
)


@frozen(eq=False)
class OwnPage:
    """Recognises requests of the host's own page, which alone can read the ``token`` and send it back.

    Plugins have that of the host as ``ctx.own_page``: a route that writes calls ``require(request)`` first,
    another route gives the page ``token_for(request)``, which the page sends as ``X-Insight-Token``.
    ``is_own`` tells from the headers Origin and Host whether the page is that of the host. A route names what
    these methods read in ``also_reads``: ``required`` for ``require``, ``from_here`` for
    ``require_no_other_site``.
    """

    required: ClassVar[Reader[None]] = headers(
        "Origin", TOKEN_HEADER, codes={403: ("forbidden", "read_only")}
    )
    from_here: ClassVar[Reader[None]] = headers("Sec-Fetch-Site", "Origin", "Referer", "User-Agent")
    is_own: Callable[[str | None, str | None], bool]
    read_only: bool = False
    token: str = field(factory=lambda: secrets.token_urlsafe(24))

    def require(self, request: Request) -> None:
        """Raises Forbidden for a request of any other page, and if the host or this client is read-only."""
        self.require_writable(request)
        origin, host = request.headers.get("Origin"), request.environ.get("HTTP_HOST")
        if not self.is_own(origin, host):
            raise Forbidden(f"only the page of this host may write here, not {origin or 'no Origin'}")
        given = request.headers.get(TOKEN_HEADER, "")
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            raise Forbidden(f"{TOKEN_HEADER} is not the token of this host: read it again")

    def require_writable(self, request: Request | None = None) -> None:
        """Raises Forbidden if the host, or the client that sent ``request``, is read-only.

        For a route that says beforehand what would be done.
        """
        refusal = self.refusal(request)
        if refusal is not None:
            raise Forbidden(refusal, code="read_only")

    def token_for(self, request: Request) -> str | None:
        """The token, for the answer to a client that may write; None for all others."""
        return None if self.refusal(request) else self.token

    def require_no_other_site(self, request: Request) -> None:
        """Raises Forbidden for a request that a page of another site makes, as a link or a picture too.

        For a route that changes nothing and still costs much. Programs need no header; a browser that sends
        no ``Sec-Fetch-Site``, which is so without TLS beyond this machine, has to name the host's own page
        as its origin.
        """
        headers = request.headers
        site = headers.get("Sec-Fetch-Site")
        if site is not None:
            is_other = site not in ("same-origin", "none")
        else:
            page = headers.get("Origin") or headers.get("Referer")
            is_browser = headers.get("User-Agent", "").startswith("Mozilla/")
            is_other = (page is not None or is_browser) and not self.is_own(
                page, request.environ.get("HTTP_HOST")
            )
        if is_other:
            raise Forbidden("only the page of this host and programs may ask this, not another site")

    def refusal(self, request: Request | None = None) -> str | None:
        """Why the host, or the client that sent ``request``, is read-only; None if it may write."""
        if self.read_only:
            return "this host was started with --read-only"
        if request is not None and not may_save(request):
            return READ_ONLY_CLIENT
        return None


def body_of(request: Request, largest: int) -> dict[str, object]:
    """The JSON object in a body of at most ``largest`` bytes. Raises TooLarge and InvalidArgument."""
    data = request.get_data(cache=False) if (request.content_length or 0) <= largest else b""
    if (request.content_length or len(data)) > largest:
        raise TooLarge(_LARGE_BODY(most=largest))
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(_BODY_NOT_JSON(cause=str(error))) from error
    if not isinstance(body, dict):
        raise InvalidArgument("the body must be a JSON object", code="body_no_object")
    return body
