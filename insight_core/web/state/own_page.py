"""Accepts writes only from the host's own page."""

from __future__ import annotations

import json
import secrets

from attrs import field, frozen
from werkzeug import Request

from insight_core.plugin import InsightError, InvalidArgument, TooLarge
from insight_core.web.host_names import HostNames

TOKEN_HEADER = "X-Insight-Token"


class Forbidden(InsightError):
    """The request does not come from the host's own page."""

    status = 403
    code = "forbidden"


@frozen(eq=False)
class OwnPage:
    """Recognises requests of the host's own page, which alone can read the ``token`` and send it back."""

    names: HostNames
    token: str = field(factory=lambda: secrets.token_urlsafe(24))

    def require(self, request: Request) -> None:
        """Raises Forbidden for a request of any other page."""
        origin, host = request.headers.get("Origin"), request.environ.get("HTTP_HOST")
        if not self.names.is_own_page(origin, host):
            raise Forbidden(f"only the page of this host may write here, not {origin or 'no Origin'}")
        given = request.headers.get(TOKEN_HEADER, "")
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            raise Forbidden(f"{TOKEN_HEADER} is not the token of this host: read {request.path} again")


def body_of(request: Request, largest: int) -> dict[str, object]:
    """The JSON object in a body of at most ``largest`` bytes. Raises TooLarge and InvalidArgument."""
    data = request.get_data(cache=False) if (request.content_length or 0) <= largest else b""
    if (request.content_length or len(data)) > largest:
        raise TooLarge(f"the body has more than {largest:,} bytes")
    try:
        body = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(f"the body is not valid JSON: {error}") from error
    if not isinstance(body, dict):
        raise InvalidArgument("the body must be a JSON object")
    return body
