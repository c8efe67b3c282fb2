"""Where in the code of a plugin an error comes from: file and line, and the traceback without the host."""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import FrameType, TracebackType

from insight_core.references import Reference

_MACHINERY = {  # top-level modules that call the code of plugins
    "insight_authoring",
    "insight_core",
    "importlib",
    "_frozen_importlib",
    "_frozen_importlib_external",
    "pluggy",
}


def author_traceback(error: BaseException) -> TracebackType | None:
    """The traceback from the first frame that is not the host's; the whole one if every frame is.

    Python shows the place of a SyntaxError by itself, so that one needs no frames of the host.
    """
    first = _first(error)
    return error.__traceback__ if first is None and not isinstance(error, SyntaxError) else first


def author_lines(error: BaseException) -> str:
    """The formatted ``author_traceback``, with the error."""
    return "".join(traceback.format_exception(type(error), error, author_traceback(error)))


def place_of(error: BaseException) -> str:
    """``package/module.py:25``, the innermost line of the plugin's own package; empty if it has no line."""
    first = _first(error)
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{shown_path(error.filename)}:{error.lineno}"
    if first is None:
        return ""
    package = _package(first.tb_frame)
    own = [one for one in _steps(first) if _package(one.tb_frame) == package]
    return f"{shown_path(own[-1].tb_frame.f_code.co_filename)}:{own[-1].tb_lineno}"


def defined_at(function: object) -> str:
    """Where a function is defined, ``package/module.py:25``; the name of one that is named by text."""
    if isinstance(function, Reference):
        return function.text
    inner = inspect.unwrap(function.func if isinstance(function, partial) else function)  # type: ignore[arg-type]
    code = getattr(inner, "__code__", None)
    return f"{shown_path(code.co_filename)}:{code.co_firstlineno}" if code else repr(function)


def _first(error: BaseException) -> TracebackType | None:
    steps = _steps(error.__traceback__)
    return next((one for one in steps if _package(one.tb_frame) not in _MACHINERY), None)


def _steps(step: TracebackType | None) -> Iterator[TracebackType]:
    while step is not None:
        yield step
        step = step.tb_next


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def shown_path(file: str) -> str:
    """The path of a file below its longest entry of ``sys.path``, else the last two parts."""
    path = Path(file)
    above = [Path(entry) for entry in sys.path if entry and path.is_relative_to(entry)]
    if above:
        return path.relative_to(max(above, key=lambda entry: len(entry.parts))).as_posix()
    return Path(*path.parts[-2:]).as_posix()
