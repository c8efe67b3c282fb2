"""Tables as CSV after RFC 4180, as the page writes them too (frontend/packages/kit/src/base/files.ts)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from werkzeug import Response

from insight_core.http.answers import streamed_response
from insight_record.formats.json_text import encode_json

_LINES = 4096  # that are encoded at a time
_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?Infinity")
_QUOTED = re.compile(r'[",\r\n]|^\s|\s$')


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
