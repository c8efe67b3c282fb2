"""POST requests that read: the body has the parameters that would be too long for a URL."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from urllib.parse import urlencode

from werkzeug import Request

from insight_core.plugin import InvalidArgument, TooLarge

_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"
_MOST = 1 << 18  # parameters: 16 MiB of short ones would take 600 MB of memory


def as_get(request: Request) -> Request:
    """The GET request of the same parameters: those of the URL, then those of the body, which is a form or a
    JSON object of texts, numbers, booleans and lists of these.

    Raises InvalidArgument for any other body, TooLarge for too many parameters.
    """
    body = request.get_data()
    if not body:
        more = b""
    elif request.mimetype == _FORM:
        more = body
    elif request.mimetype == _JSON:
        more = urlencode(list(islice(_pairs(body), _MOST + 1)), errors="surrogatepass").encode("ascii")
    else:
        raise InvalidArgument(f"the parameters of a POST are {_FORM} or {_JSON}, not {request.mimetype!r}")
    if more.count(b"&") >= _MOST:
        raise TooLarge(f"the body of a POST has at most {_MOST} parameters")
    query = b"&".join(filter(None, (request.query_string, more)))
    environ = request.environ | {
        "REQUEST_METHOD": "GET",
        "QUERY_STRING": query.decode("latin1"),
        "CONTENT_TYPE": "",
        "CONTENT_LENGTH": "",
        "wsgi.input": io.BytesIO(),
    }
    return Request(environ)


def _pairs(body: bytes) -> Iterator[tuple[str, str]]:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidArgument(f"the body is not JSON: {error}") from None
    if not isinstance(given, Mapping):
        raise InvalidArgument("the body is not a JSON object of parameters")
    for name, values in given.items():
        for value in values if isinstance(values, list) else [values]:
            if isinstance(value, bool):
                yield name, str(int(value))
            elif isinstance(value, str | int | float):
                yield name, str(value)
            elif value is not None or isinstance(values, list):
                raise InvalidArgument(f"{name} must be text, a number, true, false or a list of these")
