"""Finishes every answer: headers, JSON errors, compression, ETags."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence

from werkzeug import Request, Response
from werkzeug.exceptions import HTTPException

from insight_core.http.answers import accepts_gzip
from insight_core.web.content_tags import content_tag
from insight_record.formats.json_text import encode_json
from insight_record.formats.reason import json_details

CONTENT_SECURITY_POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; media-src 'self' data: blob:; worker-src 'self' blob:; "
    "connect-src 'self'; object-src 'none'; base-uri 'self'"
)
# Other sites can neither load an answer as an image or script nor keep a handle of the page's window. Popups
# are allowed because the page sends a profile to the window of Perfetto that it opens.
ISOLATION = {
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
}
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-cache",
    **ISOLATION,
}
_CODES = {  # of errors that have no code of their own, by status
    400: "invalid_argument",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    422: "undecodable",
    429: "unavailable",
    503: "unavailable",
    504: "timeout",
}
_SMALL = 1024  # bytes; below this size gzip does not pay
_LEVEL = 4  # of gzip: half the time of the default for a few per cent more bytes
_LARGE, _FAST_LEVEL = 1 << 20, 1  # from this many bytes on, speed matters more than size


def json_answer(value: object, status: int = 200) -> Response:
    """A JSON answer."""
    return Response(encode_json(value), status, mimetype="application/json")


def error_answer(
    text: str, status: int, code: str | None = None, details: Mapping[str, object] | None = None
) -> Response:
    """A JSON answer with an ``error`` text, its ``code`` (by default that of the status) and ``details``."""
    answer: dict[str, object] = {"error": text, "code": code or _CODES.get(status, "internal")}
    if details:
        answer["details"] = json_details(details)
    return json_answer(answer, status)


def http_error_answer(error: HTTPException) -> Response:
    """A werkzeug error as a JSON answer; redirections, and answers inside the error, unchanged."""
    answer = error.get_response()
    code = error.code or 500
    if error.response is not None or code < 400:
        return Response(answer.get_data(), answer.status, answer.headers)
    text = {404: "nothing at this address", 405: "method not allowed at this address"}.get(code)
    if text is None or error.description != type(error).description:
        text = error.description or text or error.name
    refusal = error_answer(text, code)
    for name in ("Allow", "Content-Range", "Retry-After"):
        if name in answer.headers:
            refusal.headers[name] = answer.headers[name]
    return refusal


def tag_by_content(request: Request, answer: Response) -> Response:
    """Adds an ETag of the content, and turns the answer into a 304 if the client has it."""
    tag = content_tag(answer.get_data())
    if request.if_none_match.contains_weak(tag):
        return not_modified(tag)
    answer.set_etag(tag, weak=True)
    return answer


def not_modified(tag: str) -> Response:
    """A 304 with this entity tag."""
    answer = Response(status=304)
    answer.headers.remove("Content-Type")
    answer.set_etag(tag, weak=True)
    return answer


def framing(frame_ancestors: Sequence[str]) -> str:
    """The ``frame-ancestors`` policy: the host's own origin and these sources."""
    return " ".join(("frame-ancestors 'self'", *frame_ancestors))


def finish(request: Request, answer: Response, frame_ancestors: Sequence[str] = ()) -> Response:
    """Adds the common headers, and compresses the answer if that pays."""
    there = {name.lower() for name, _ in answer.headers}
    policy = CONTENT_SECURITY_POLICY
    if "content-security-policy" in there:
        policy = answer.headers.pop("Content-Security-Policy")
    if "frame-ancestors" not in policy:
        policy = f"{policy}; {framing(frame_ancestors)}"
    for name, value in _HEADERS.items():
        if name.lower() not in there:
            answer.headers.add(name, value)
    answer.headers.add("Content-Security-Policy", policy)
    if not frame_ancestors:  # this header cannot list origins; it is for browsers without CSP
        answer.headers.setdefault("X-Frame-Options", "SAMEORIGIN")
    compress(request, answer)
    return answer


def compress(request: Request, answer: Response) -> None:
    """Compresses the answer if that pays, unless it is compressed."""
    if _compressible(answer):
        answer.vary.add("Accept-Encoding")
        if accepts_gzip(request):
            data = answer.get_data()
            level = _LEVEL if len(data) < _LARGE else _FAST_LEVEL
            answer.set_data(gzip.compress(data, level, mtime=0))
            answer.headers["Content-Encoding"] = "gzip"


def is_text(media_type: str) -> bool:
    """Whether answers of this media type are text, and worth compressing."""
    return media_type.startswith("text/") or media_type in {
        "application/json",
        "application/javascript",
        "application/manifest+json",
        "image/svg+xml",
    }


def _compressible(answer: Response) -> bool:
    return (
        answer.status_code not in (204, 304)
        and not answer.is_streamed
        and not answer.direct_passthrough
        and "Content-Encoding" not in answer.headers
        and is_text(answer.mimetype or "")
        and (answer.calculate_content_length() or 0) > _SMALL
    )
