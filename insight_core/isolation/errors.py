"""What becomes of a call that failed: its error, and words for messages."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, NoReturn

from attrs import Attribute

_LONGEST = 200  # characters of a request in a message


class Overdue(Exception):
    """A call has not returned in time; the text says which, and since when.

    ``ended`` is set when it has returned after all.
    """

    def __init__(self, text: str, ended: threading.Event | None = None) -> None:
        super().__init__(text)
        self.ended = ended if ended is not None else threading.Event()


class Busy(Exception):
    """As many calls of the plugin hang as may; the text says since when."""


class Crashed(Exception):
    """A plugin raised SystemExit, KeyboardInterrupt or GeneratorExit."""


def in_one_line(error: BaseException) -> str:
    """Type and text of an error, without line breaks."""
    _, *more = error.args or ("",)
    # validators of attrs add the attribute, which says nothing to the user, to the arguments of their errors
    said = error.args[0] if more and isinstance(more[0], Attribute) else error
    text = " ".join(str(said).split())
    if isinstance(error, Crashed):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def request_line(environ: Mapping[str, Any]) -> str:
    """How a WSGI request is called in messages."""
    query = environ.get("QUERY_STRING", "")
    path = environ.get("PATH_INFO", "").encode("latin1").decode(errors="replace")
    text = f"{environ.get('REQUEST_METHOD', 'GET')} {path}{'?' if query else ''}{query}"
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}…"
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def reraise(error: BaseException) -> NoReturn:
    """Raises the exception of plugin code in another thread; Crashed if it is not an Exception."""
    if not isinstance(error, Exception):
        raise Crashed(in_one_line(error)) from error
    context = error.__context__
    try:
        raise error
    finally:
        error.__context__ = context  # not what this thread is just handling
