"""Answers of routes: JSON, safetensors, CSV, bytes; what a client accepts, and whether it is gone."""

from __future__ import annotations

import itertools
import re
import select
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray
from werkzeug import Request, Response

from insight_record.formats.json_text import encode_json
from insight_record.formats.safetensors import Part, safetensors_parts

Column: TypeAlias = NDArray[np.generic]  # One-dimensional; of a table all have one length.
IMMUTABLE = "private, max-age=86400, immutable"  # Cache-Control of an answer that never changes.
_PIECE = 1 << 18  # bytes of a streamed answer that are handed to the server at a time
LINK_TOKEN = "insight.link_token"  # Key of the environ, see AppSettings.
READ_ONLY = "insight.read_only"  # Key of the environ. True: this client may look, and change nothing.
_GONE = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR
_LINES = 4096  # that are encoded at a time
_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?Infinity")
_QUOTED = re.compile(r'[",\r\n]|^\s|\s$')


def json_response(value: object, *, immutable: bool = False) -> Response:
    """The value as JSON, as ``encode_json`` writes it. ``immutable``: browsers may keep the answer for a day.

    Raises TypeError for a value that JSON cannot hold.
    """
    return _kept(Response(encode_json(value), mimetype="application/json"), immutable)


def safetensors_response(
    columns: Mapping[str, Column], name: str, described: object, *, immutable: bool = False
) -> Response:
    """The columns by name, and ``described`` as JSON under ``name`` in the metadata.

    Long columns are sent as they are, without a copy of the answer.
    """
    parts = safetensors_parts(columns, {name: encode_json(described).decode("ascii")})
    size = sum(map(len, parts))
    body: bytes | Iterator[bytes] = b"".join(parts) if size <= _PIECE else _sliced(parts)
    answer = Response(body, mimetype="application/octet-stream")
    answer.content_length = size
    return _kept(answer, immutable)


def bytes_response(
    data: bytes, mimetype: str, *, filename: str | None = None, immutable: bool = False
) -> Response:
    """Bytes as they are. With ``filename`` the browser saves them (RFC 6266).

    ``immutable``: the same URL never means anything else, so that a browser need not ask again for a day.
    """
    return _kept(_saved(Response(data, mimetype=mimetype), filename), immutable)


def streamed_response(parts: Iterable[bytes], content_type: str, *, filename: str | None = None) -> Response:
    """An answer that is made while it is sent, in bounded memory, and whole if it is short.

    What goes wrong in the first 256 KiB is raised here; later it breaks off the answer. With ``filename`` the
    browser saves it (RFC 6266). Each part of ``text/event-stream`` is sent as soon as it is made.
    """
    if content_type.partition(";")[0].strip().lower() == "text/event-stream":
        return _saved(Response(parts, content_type=content_type), filename)
    pieces = _pieces(parts)
    first, second = next(pieces, b""), next(pieces, None)
    body = first if second is None else itertools.chain((first, second), pieces)
    return _saved(Response(body, content_type=content_type), filename)


def _sliced(parts: Iterable[Part]) -> Iterator[bytes]:
    for part in parts:
        for start in range(0, len(part), _PIECE):
            yield bytes(part[start : start + _PIECE])


def _pieces(parts: Iterable[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size >= _PIECE:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def _kept(answer: Response, immutable: bool) -> Response:
    if immutable:
        answer.headers["Cache-Control"] = IMMUTABLE
    return answer


def _saved(answer: Response, filename: str | None) -> Response:
    if filename is not None:
        answer.headers["Content-Disposition"] = _attachment(filename)
    return answer


def _attachment(filename: str) -> str:
    """A name without path separators and control characters, in ASCII and, where it differs, in UTF-8."""
    name = "".join(
        "_" if mark in '/\\:*?"<>|' or ord(mark) < 32 or ord(mark) == 127 else mark for mark in filename
    )
    # a name that is not UTF-8 on disk comes as lone surrogates, which UTF-8 cannot hold
    name = name.encode("utf-8", "replace").decode("utf-8").strip(". ") or "download"
    plain = "".join(mark if mark.isascii() else "_" for mark in name)
    text = f'attachment; filename="{plain}"'
    return text if plain == name else f"{text}; filename*=UTF-8''{quote(name, safe='')}"


def may_save(request: Request) -> bool:
    """Whether this client may change something, if the host is not read-only itself."""
    return not request.environ.get(READ_ONLY, False)


def user_of(request: Request) -> str | None:
    """The name of the user: REMOTE_USER of the environ, UTF-8 in latin-1 (PEP 3333). None if unknown."""
    name = request.environ.get("REMOTE_USER") or ""
    return name.encode("latin1", "replace").decode("utf-8", "replace") or None


def accepts_gzip(request: Request) -> bool:
    """Whether the client accepts gzip; ``q=0`` refuses it, and so does a missing header."""
    accepted = request.accept_encodings
    named = [quality for coding, quality in accepted if coding.lower() in ("gzip", "x-gzip")]
    if named:
        return max(named) > 0
    return any(coding == "*" and quality > 0 for coding, quality in accepted)


def is_gone(request: Request) -> bool:
    """Whether the client has closed its end. False where that cannot be known: under a server that does not
    set ``werkzeug.socket``, as werkzeug's and the host's do."""
    client = request.environ.get("werkzeug.socket")
    if client is None:
        return False
    number = client.fileno()
    if number < 0:
        return True
    poll = select.poll()
    poll.register(number, _GONE)
    return bool(poll.poll(0))


def csv_field(value: object) -> str:
    """None is an empty field, a list is JSON. A text that a spreadsheet would take for a formula begins with
    an apostrophe: a log may come from anywhere."""
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    text = value if isinstance(value, str) else encode_json(value).decode("ascii")
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def csv_response(lines: Iterable[str], *, filename: str | None = None) -> Response:
    """Of lines without their ends, which are taken as they are sent; the browser saves it as ``filename``."""
    return streamed_response(_encoded(iter(lines)), "text/csv; charset=utf-8", filename=filename)


def _encoded(lines: Iterator[str]) -> Iterator[bytes]:
    while some := list(itertools.islice(lines, _LINES)):
        text = "\r\n".join(some) + "\r\n"
        # a name that is not UTF-8 on disk comes as lone surrogates, which UTF-8 cannot hold
        yield text.encode("utf-8", "backslashreplace")
