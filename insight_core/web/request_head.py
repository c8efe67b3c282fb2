"""Strict parser of HTTP/1.x request heads (RFC 9112); rejects requests with ambiguous framing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from http import HTTPStatus

from attrs import frozen

LARGEST_BODY = 1 << 24  # bytes of the body of a request
_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_REQUEST_LINE = re.compile(rb"(%b) ([\x21-\x7e\x80-\xff]+) HTTP/([0-9])\.([0-9])" % _TOKEN)
_FIELD = re.compile(rb"(%b):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)" % _TOKEN)
_ABSOLUTE = re.compile(r"https?://([^/?]*)([^?]*)(\?.*)?", re.IGNORECASE)
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(:[0-9]*)?")
_DIGITS = re.compile(r"[0-9]+")
_SINGLE = ("host", "content-length", "content-type")  # fields that may come only once


class RefusedRequest(Exception):
    """A request that is answered with an error; its connection is closed because the end of the request is
    unknown.
    """

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@frozen
class RequestHead:
    """Request line and header fields. Field names are in lower case, text is Latin-1 as in WSGI.

    ``host`` is the authority of the request: from an absolute target, else from the Host field.
    """

    method: str
    target: str
    path: str
    query: str
    version: str
    fields: Sequence[tuple[str, str]]
    host: str | None
    content_length: int
    chunked: bool
    keep_alive: bool
    expects_continue: bool


def parse_head(request_line: bytes, lines: Sequence[bytes]) -> RequestHead:
    """Parses lines without line ends. Raises RefusedRequest."""
    method, target, version = _request_line(request_line)
    fields = [parse_field(line) for line in lines]
    names = [name for name, _ in fields]
    for name in _SINGLE:
        if names.count(name) > 1:
            raise bad_request(f"more than one {name} field")
    if "host" not in names and version == "HTTP/1.1":  # also with an absolute target
        raise bad_request("a request of HTTP/1.1 needs a Host field")
    host, path, query = _target(method, target, next(_values(fields, "host"), None))
    connection = _list(fields, "connection")
    expectations = _list(fields, "expect") if version == "HTTP/1.1" else []
    if expectations not in ([], ["100-continue"]):
        raise RefusedRequest(HTTPStatus.EXPECTATION_FAILED, "the only expectation known is 100-continue")
    chunked = _is_chunked(fields, version)
    return RequestHead(
        method=method,
        target=target,
        path=path,
        query=query,
        version=version,
        fields=fields,
        host=host,
        content_length=_content_length(fields),
        chunked=chunked,
        keep_alive="close" not in connection and (version == "HTTP/1.1" or "keep-alive" in connection),
        expects_continue=bool(expectations),
    )


def parse_field(line: bytes) -> tuple[str, str]:
    """Name (lower case) and value of a field. Raises RefusedRequest."""
    found = _FIELD.fullmatch(line)
    if found is None:
        if line[:1] in (b" ", b"\t"):
            raise bad_request("a header field is folded over two lines")
        if b":" not in line:
            raise bad_request("a header line has no colon")
        raise bad_request("a header field has a name or value with characters that are not allowed")
    return found[1].decode("latin1").lower(), found[2].decode("latin1").rstrip(" \t")


def bad_request(reason: str) -> RefusedRequest:
    """The error for a malformed request."""
    return RefusedRequest(HTTPStatus.BAD_REQUEST, reason)


def body_too_large() -> RefusedRequest:
    """The error for a body above the size limit."""
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    return RefusedRequest(status, f"the body of a request must not exceed {LARGEST_BODY} bytes")


def _request_line(line: bytes) -> tuple[str, str, str]:
    found = _REQUEST_LINE.fullmatch(line)
    if found is None:
        raise bad_request("the request line is not METHOD TARGET HTTP/1.1")
    if found[3] != b"1":
        raise RefusedRequest(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "only HTTP/1.0 and HTTP/1.1 are spoken")
    version = "HTTP/1.0" if found[4] == b"0" else "HTTP/1.1"
    return found[1].decode("latin1"), found[2].decode("latin1"), version


def _target(method: str, target: str, host: str | None) -> tuple[str | None, str, str]:
    """Authority, path and query of a request target."""
    if host is not None and not _AUTHORITY.fullmatch(host):
        raise bad_request("the Host field is not the name of a host")
    if method == "CONNECT":
        raise RefusedRequest(HTTPStatus.NOT_IMPLEMENTED, "this is not a proxy")
    if "#" in target:
        raise bad_request("the target has a fragment")
    if target.startswith("/"):
        path, _, query = target.partition("?")
        return host, path, query
    if target == "*" and method == "OPTIONS":
        return host, target, ""
    found = _ABSOLUTE.fullmatch(target)
    if found is None or not found[1] or not _AUTHORITY.fullmatch(found[1]):
        raise bad_request("the target is neither a path nor an http address")
    return found[1], found[2] or "/", (found[3] or "")[1:]


def _content_length(fields: Sequence[tuple[str, str]]) -> int:
    value = next(_values(fields, "content-length"), "0")
    if not _DIGITS.fullmatch(value):
        raise bad_request("Content-Length is not a number")
    if len(value) > 18 or int(value) > LARGEST_BODY:
        raise body_too_large()
    return int(value)


def _is_chunked(fields: Sequence[tuple[str, str]], version: str) -> bool:
    values = [value.lower() for value in _values(fields, "transfer-encoding")]
    if not values:
        return False
    if version != "HTTP/1.1":
        raise bad_request("Transfer-Encoding needs HTTP/1.1")
    if any(True for _ in _values(fields, "content-length")):
        raise bad_request("Transfer-Encoding and Content-Length contradict each other")
    if set(_list(fields, "transfer-encoding")) - {"chunked"}:
        raise RefusedRequest(HTTPStatus.NOT_IMPLEMENTED, "the only transfer coding known is chunked")
    if values != ["chunked"]:  # an empty member is rejected too: peers interpret it differently
        raise bad_request("Transfer-Encoding names chunked not exactly once")
    return True


def _values(fields: Sequence[tuple[str, str]], wanted: str) -> Iterator[str]:
    return (value for name, value in fields if name == wanted)


def _list(fields: Sequence[tuple[str, str]], wanted: str) -> list[str]:
    """Members of a list field, in lower case."""
    members = (
        member.strip(" \t").lower() for value in _values(fields, wanted) for member in value.split(",")
    )
    return [member for member in members if member]
