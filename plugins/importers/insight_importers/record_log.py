"""The logs of W&B and SwanLab, which have one format: reads on from where the last call ended."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

from attrs import frozen

from insight_core.plugin import Flaw, Reason
from insight_importers.block_log import Records, records_of
from insight_importers.translated_runs import TranslatedRuns

_CHUNK = 2 << 20  # bytes of a call
_LONGEST = 512 << 20  # bytes of a record
_BEGINNING = 7  # a mark of six bytes and the version


@frozen
class LogPart:
    """The records of one call; ``is_rest``: there are no more, ``cut`` bytes at the end are not whole."""

    found: Records
    is_rest: bool
    cut: int


def is_replaced(source: str, place: Mapping[str, Any]) -> bool:
    """Whether a log is not the one of which ``place`` says how far it was read. Raises OSError."""
    info = os.stat(source)
    return bool(place) and (place["file"] != [info.st_dev, info.st_ino] or place["offset"] > info.st_size)


def next_part(source: str, place: dict[str, Any], tracker: str, mark: bytes, version: int) -> LogPart:
    """The next records of a log. ``place`` keeps how far it was read; it is empty at first.

    Raises OSError, and ValueError for a file that begins otherwise, or has another version.
    """
    with open(source, "rb") as file:
        info = os.fstat(file.fileno())
        place["file"] = [info.st_dev, info.st_ino]
        beginning = file.read(_BEGINNING)
        if beginning[:-1] != mark:
            text = f"it does not begin as a log of {tracker}"
            raise ValueError(Reason(text, "importers_no_log", tracker=tracker))
        if beginning[-1] != version:
            text = f"version {beginning[-1]} of {tracker}'s log is not known"
            raise ValueError(Reason(text, "importers_log_version", version=beginning[-1], tracker=tracker))
        found, is_rest = _chunk(file, int(place.get("offset", 0)), info.st_size)
    place["offset"] = found.end
    cut = info.st_size - found.end if is_rest and found.is_cut else 0
    return LogPart(found, is_rest, cut)


def note_flaws(made: TranslatedRuns, name: str, end: int, flaws: Iterable[Flaw]) -> list[tuple[str, Flaw]]:
    """Keeps the flaws before ``end``, and returns those behind it, which may vanish when the log grows."""
    passing = []
    for flaw in flaws:
        if flaw.offset < end:
            made.note(name, flaw)
        else:
            passing.append((name, flaw))
    return passing


def unreadable_record(found: Records, size: int, tracker: str) -> Flaw:
    """The damage of a record that is no message."""
    text = f"a record of {tracker}'s log is no protobuf message"
    return Flaw(found.end - 1, Reason(text, "importers_log_record", tracker=tracker), size)


def cut_end(part: LogPart) -> Flaw:
    """The damage of a log that ends within a record."""
    return Flaw(part.found.end, Reason("the file ends within a record", "importers_cut"), part.cut)


def _chunk(file: BinaryIO, offset: int, size: int) -> tuple[Records, bool]:
    """The next records, at least one unless the file ends within it; whether the rest was read."""
    length = _CHUNK
    while True:
        file.seek(offset)
        data = file.read(length)
        is_rest = offset + len(data) >= size or len(data) < length
        found = records_of(data, offset, _BEGINNING)
        if found.records or found.end > max(offset, _BEGINNING) or is_rest or length >= _LONGEST:
            return found, is_rest
        length *= 4
