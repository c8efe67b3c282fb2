"""Answers as TensorBoard's plugins give them: ``backend/http_util.py``."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Iterable, Sequence
from wsgiref.handlers import format_date_time

from tensorboard.backend import json_util
from werkzeug import Request, Response

_JSON = frozenset({"application/json", "application/json+protobuf"})
_TEXT = _JSON | {
    "application/javascript",
    "image/svg+xml",
    "text/css",
    "text/csv",
    "text/html",
    "text/javascript",
    "text/plain",
    "text/tab-separated-values",
    "text/x-protobuf",
}
_TAKES_GZIP = re.compile(r"(?:^|,|\s)(?:(?:x-)?gzip|\*)(?!;q=0)(?:\s|,|$)")
_CHARSET = re.compile(r"charset=([-_0-9A-Za-z]+)")
_POLICY = (
    "default-src 'self';font-src 'self' data:;frame-src 'self' https://ui.perfetto.dev;"
    "img-src 'self' data: blob:;object-src 'none';"
    "style-src 'self' https://www.gstatic.com data: 'unsafe-inline';connect-src 'self';"
)


def Respond(
    request: Request,
    content: object,
    content_type: str,
    code: int = 200,
    expires: int = 0,
    content_encoding: str | None = None,
    encoding: str = "utf-8",
    csp_scripts_sha256s: Sequence[str] | None = None,
    headers: Iterable[tuple[str, str]] | None = None,
) -> Response:
    """An answer of bytes, text, or what becomes JSON.

    Text is compressed for who takes that, and what came compressed with gzip is expanded for who does
    not. ``expires`` is in seconds, 0 keeps nothing. ``encoding`` is that of ``content`` if it is bytes;
    ``csp_scripts_sha256s`` are digests of scripts in a page, base64.
    """
    media_type = re.split(r"[;\s]", content_type, maxsplit=1)[0]
    named = _CHARSET.search(content_type)
    charset = named[1] if named else encoding
    is_text = named is not None or media_type in _TEXT
    if media_type in _JSON and isinstance(content, dict | list | set | frozenset | tuple):
        content = json.dumps(json_util.Cleanse(content, encoding), ensure_ascii=named is None)
    data = _encoded(content, encoding, charset)
    if is_text and named is None and media_type not in _JSON:
        content_type += f"; charset={charset}"
    takes_gzip = _TAKES_GZIP.search(request.headers.get("Accept-Encoding", "")) is not None
    if is_text and not content_encoding and takes_gzip:
        data, content_encoding = gzip.compress(data, 3, mtime=0), "gzip"
    elif content_encoding == "gzip" and not takes_gzip:
        data, content_encoding = gzip.decompress(data), None
    answer = Response(data, code, list(headers or ()), content_type=content_type)
    answer.headers["X-Content-Type-Options"] = "nosniff"
    if content_encoding:
        answer.headers["Content-Encoding"] = content_encoding
    answer.headers["Expires"] = format_date_time(time.time() + expires) if expires > 0 else "0"
    answer.headers["Cache-Control"] = (
        f"private, max-age={expires}" if expires > 0 else "no-cache, must-revalidate"
    )
    if media_type == "text/html":
        scripts = [f"'sha256-{digest}'" for digest in csp_scripts_sha256s or ()]
        answer.headers["Content-Security-Policy"] = _POLICY + " ".join(
            ["script-src", "'self'", "'unsafe-eval'", *scripts]
        )
    return answer


def _encoded(content: object, encoding: str, charset: str) -> bytes:
    if isinstance(content, bytes):
        return content if charset == encoding else content.decode(encoding).encode(charset)
    if isinstance(content, str):
        return content.encode(charset)
    raise TypeError(f"an answer is bytes or text, or becomes JSON: not a {type(content).__name__}")
