"""The logs of W&B and SwanLab, which have one format: reads on from where the last call ended."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from functools import partial
from io import BufferedReader
from typing import Any

from attrs import define

from insight_core.plugin import Flaw, Reason, ReasonKind
from insight_core.plugin.payloads import MessageTypes
from insight_importers.block_log import BLOCK, CUT, ZEROS, Records, records_of
from insight_importers.odd_values import contained
from insight_importers.side_files import data_after, mark_before, open_file

_CHUNK = 2 << 20  # bytes of a call
_LONGEST = 512 << 20  # bytes of a record
_LONG = Reason("a record is too long; its bytes are left out", "importers_record_long")
_BEGINNING = 7  # a mark of six bytes and the version
_LOG_RECORD = ReasonKind("importers_log_record", "a record of {tracker}'s log is not a protobuf message")
_LOG_UNUSABLE = ReasonKind("importers_log_unusable", "a record of {tracker}'s log cannot be used: {cause}")
_NO_LOG = ReasonKind("importers_no_log", "it does not begin as a log of {tracker}")
_LOG_VERSION = ReasonKind("importers_log_version", "version {version} of {tracker}'s log is not known")


@define
class LogPart:
    """The records of one call. ``is_rest``: the last ones, and ``cut`` bytes at the end are not whole."""

    found: Records
    is_rest: bool
    cut: int
    flaws: list[Flaw]  # that a later call will not change
    version: int

    def take_each(self, types: MessageTypes, tracker: str, take: Callable[[Any], None]) -> None:
        """Parses and takes each record; one that cannot be used is damage."""

        def parse_and_take(data: bytes) -> None:
            try:
                record = types.parse("Record", data)
            except ValueError:
                self.flaws.append(Flaw(self.found.end - 1, _LOG_RECORD(tracker=tracker), len(data)))
            else:
                take(record)

        self.use_each(tracker, parse_and_take)

    def use_each(self, tracker: str, use: Callable[[bytes], None]) -> None:
        """Gives ``use`` the bytes of each record; one for which it raises something is damage."""
        for data in self.found.records:
            with contained(partial(self._note_odd, self.found.end - 1, len(data), tracker)):
                use(data)

    def tail(self) -> list[Flaw]:
        """The damage at the end, which may vanish when the log grows."""
        flaws = [flaw for flaw in self.found.flaws if flaw.offset >= self.found.end]
        if self.cut:
            flaws.append(Flaw(self.found.end, CUT, self.cut))
        return flaws

    def _note_odd(self, place: int, size: int, tracker: str, cause: Reason) -> None:
        reason = _LOG_UNUSABLE(tracker=tracker, cause=cause)
        self.flaws.append(Flaw(place, reason, size))


def is_replaced(source: str, place: Mapping[str, Any]) -> bool:
    """Whether a log is not the one of which ``place`` says how far it was read. Raises as ``open_file``."""
    return bool(place) and place["mark"] != mark_before(source, place["offset"])


def next_part(
    source: str, place: dict[str, Any], tracker: str, mark: bytes, versions: Collection[int]
) -> LogPart:
    """The next records of a log. ``place`` keeps how far it was read; it is empty at first.

    Raises OSError, and ValueError for a file that begins otherwise, or has none of these versions.
    """
    with open_file(source) as file:
        info = os.fstat(file.fileno())
        beginning = file.read(_BEGINNING)
        if beginning[:-1] != mark:
            raise ValueError(_NO_LOG(tracker=tracker))
        if beginning[-1] not in versions:
            raise ValueError(_LOG_VERSION(version=beginning[-1], tracker=tracker))
        found, is_rest = _chunk(file, int(place.get("offset", 0)), info.st_size)
    place["offset"], place["mark"] = found.end, mark_before(source, found.end)
    cut = info.st_size - found.end if is_rest and found.is_cut else 0
    return LogPart(
        found, is_rest, cut, [flaw for flaw in found.flaws if flaw.offset < found.end], beginning[-1]
    )


def _chunk(file: BufferedReader, offset: int, size: int) -> tuple[Records, bool]:
    """The next records, at least one unless the file ends within it; whether the rest was read."""
    length = _CHUNK
    while True:
        file.seek(offset)
        data = file.read(length)
        is_rest = offset + len(data) >= size or len(data) < length
        found = records_of(data, offset, _BEGINNING)
        if found.records or found.end > max(offset, _BEGINNING) or is_rest:
            return found, is_rest
        after = offset + length
        if not data[-BLOCK:].strip(b"\0"):
            after = data_after(file, after, size)
            if after >= size:  # zeros may still be filled
                return Records(offset, is_cut=True), True
        if after > offset + length or length >= _LONGEST:
            end = after - after % BLOCK  # records begin where a block does, too
            cause = ZEROS if after > offset + length else _LONG
            return Records(end, flaws=[Flaw(offset, cause, end - offset)]), False
        length *= 4
