"""Tells Chrome traces by their first bytes: writers of traces take any name."""

from __future__ import annotations

import json
import re
import zlib
from contextlib import suppress

_UNPACKED = 1 << 16  # bytes of a packed beginning
_NEAR = 16  # characters from the end at which a value may just be cut
_MEMBER = re.compile(r'\s*"((?:[^"\\]|\\.)*)"\s*:\s*')
_SEPARATOR = re.compile(r"\s*(,|\Z)")
_EVENTS = re.compile(r'"traceEvents"\s*:\s*\[')
_PHASES = "A-Za-z(),="
_EVENT = re.compile(rf'"ph"\s*:\s*"[{_PHASES}]"')
_PHASE = re.compile(f"[{_PHASES}]")
_DECODER = json.JSONDecoder(strict=False)
# members that stand before the events in traces of Chrome and of others that know its format
_CHROME = {"displayTimeUnit", "stackFrames", "systemTraceEvents", "controllerTraceDataKey"}


def is_trace(beginning: bytes) -> bool:
    """Whether a file that begins so is a Chrome trace, packed by gzip or not: an array of events, or an
    object with ``traceEvents`` or, if these come later, with what torch and Chrome write before them."""
    text = _unpacked(beginning).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if text.startswith("["):
        return _is_event(text[1:].lstrip(" \t\r\n,"))
    return text.startswith("{") and _has_events(text)


def _unpacked(beginning: bytes) -> bytes:
    if not beginning.startswith(b"\x1f\x8b"):
        return beginning
    try:
        return zlib.decompressobj(wbits=31).decompress(beginning, _UNPACKED)
    except zlib.error:
        return _before_damage(beginning)


def _before_damage(packed: bytes) -> bytes:
    unpacking, found = zlib.decompressobj(wbits=31), bytearray()
    with suppress(zlib.error):
        for at in range(len(packed)):
            found += unpacking.decompress(packed[at : at + 1], _UNPACKED)
    return bytes(found[:_UNPACKED])


def _is_event(text: str) -> bool:
    """Whether an array's first element is an event. Where it is cut, what there is of it decides."""
    if not text.startswith("{"):
        return False
    try:
        event = _DECODER.raw_decode(text)[0]
    except (ValueError, RecursionError):
        return _EVENT.search(text) is not None
    is_phase = _PHASE.fullmatch(str(event.get("ph"))) is not None
    return is_phase and not {"ts", "pid"}.isdisjoint(event)


def _has_events(text: str) -> bool:
    """Whether the members of an object say that it is a trace, as far as they are there."""
    names: list[str] = []
    at = 1
    while found := _MEMBER.match(text, at):
        name, at = found[1], found.end()
        if name == "traceEvents":
            return text.startswith("[", at)
        names.append(name)
        try:
            value, at = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            is_cut = error.pos >= len(text) - _NEAR or error.msg.startswith("Unterminated")
            if not is_cut and _EVENTS.search(text, at):  # behind a bare N/A, for instance
                return True
            break
        except (ValueError, RecursionError):
            break
        if names == ["schemaVersion"] and value != 1:
            return False
        separator = _SEPARATOR.match(text, at)
        if separator is None:  # it ends, or is no JSON
            return False
        at = separator.end()
    return names[:1] == ["schemaVersion"] or not _CHROME.isdisjoint(names)
