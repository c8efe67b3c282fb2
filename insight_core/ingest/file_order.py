"""The order of a run's files: the one in which every reader joins them."""

from __future__ import annotations

import re
import struct

from insight_core.ingest.beginnings import Beginnings
from insight_core.ingest.found import FoundFile
from insight_core.store.segment import FileOrder

# The time in the name of an event file, in seconds; what follows are mostly host, process and a counter.
_BEGUN = re.compile(r"(?:tfevents|summary)\.(\d+)")
_NUMBER = re.compile(r"\d+")
_END = "\0"  # of the part of an order that the name alone decides, where numbers are equal


def by_numbers(text: str) -> str:
    """A text that sorts as ``text`` does, but with its numbers in the order of their values."""
    return _NUMBER.sub(lambda match: _padded(match.group()), text)


def _padded(number: str) -> str:
    digits = number.lstrip("0")
    return f"{len(digits):03d}{digits}"


def order_of(name: str) -> FileOrder:
    """The place of an event file of this name among the files of its run, but for equal numbers.

    The time in the name decides, then its other numbers: those between dots.
    """
    begun = _BEGUN.search(name)
    if begun is None:
        return 0.0, _END + name
    numbers = [_padded(part) for part in name[begun.end() :].split(".") if part.isascii() and part.isdigit()]
    return float(begun.group(1)[:18]), ".".join(numbers) + _END + name


def is_tie(one: FileOrder, other: FileOrder) -> bool:
    """Whether two files have equal numbers in their names, so that the times of their records decide."""
    return one[0] == other[0] and one[1].partition(_END)[0] == other[1].partition(_END)[0]


def was_tied(file: FoundFile) -> bool:
    """Whether the times of records have decided the place of a file that was found."""
    return file.order[1].count(_END) > (2 if file.part else 1)


def settle_ties(files: dict[tuple[str, str], FoundFile], beginnings: Beginnings) -> None:
    """Gives event files of a run with equal numbers the order of their first records."""
    alike: dict[tuple[str, float, str], list[tuple[str, str]]] = {}
    for key, file in files.items():
        if file.format is None:
            seconds, text = file.order
            alike.setdefault((file.run, seconds, text.partition(_END)[0]), []).append(key)
    for (_, seconds, numbers), tied in alike.items() if len(alike) < len(files) else ():
        for key in tied if len(tied) > 1 else ():
            file = files[key]
            time = beginnings.first_time(file.path, file.version)
            name = file.order[1].partition(_END)[2]
            order = seconds, f"{numbers}{_END}{_sortable(time)}{_END}{name}"
            files[key] = file._replace(order=order)


def _sortable(time: float) -> str:
    """Positive floats have the order of their bits."""
    return struct.pack(">d", time).hex()
