"""Records decoded when somebody looks, and kept in a cache that is bounded in bytes."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

from attrs import field, frozen

from insight_core.plugin import (
    DataProvider,
    NotFound,
    Payload,
    RecordTable,
    SeriesKey,
    ShownAttempts,
    Undecodable,
)

T = TypeVar("T")

MAX_BYTES = 64 << 20
_ENTRY = 512  # bytes that the cache counts for a place, beside its value


@frozen
class RecordPlace:
    """One record of a series, and by what it is known again after the series has changed.

    ``index`` counts the records that ``attempts`` shows. ``size`` is that of the payload in bytes, -1
    where only reading it would tell.
    """

    key: SeriesKey
    index: int
    step: int
    wall_time: float = field(eq=repr)  # NaN is NaN
    size: int
    attempts: ShownAttempts = "last"

    def __str__(self) -> str:
        return f"{self.key.tag!r} of run {self.key.run!r}, step {self.step} (record {self.index})"


def record_at(
    data: DataProvider, plugin: str, key: SeriesKey, index: int, attempts: ShownAttempts = "last"
) -> RecordPlace:
    """Where the record is now. Raises NotFound for a series or an index that does not exist."""
    table = data.records(plugin, key, attempts)
    if not 0 <= index < len(table.steps):
        raise NotFound(
            f"{key.tag!r} of run {key.run!r} has no record {index}: there are {len(table.steps)} of them"
        )
    return place_in(table, key, index, attempts)


def place_in(table: RecordTable, key: SeriesKey, index: int, attempts: ShownAttempts = "last") -> RecordPlace:
    """The record at an index of a table that was asked for with these attempts."""
    step, size = int(table.steps[index]), int(table.sizes[index])
    wall_time = float(table.wall_times[index]) + 0.0  # there is no -0.0 in what a page sends
    return RecordPlace(key, index, step, wall_time, size, attempts)


class DecodedValues(Generic[T]):
    """The values of one plugin, each decoded once for all who ask for it at the same time.

    ``decode`` reads a payload and raises ValueError for bytes that it cannot read; ``size_of`` tells
    the bytes that a value holds. At most as many are decoded at once as there are processors: requests
    of other plugins go on meanwhile. Beyond ``max_bytes`` what was not asked for the longest goes.
    """

    def __init__(
        self,
        data: DataProvider,
        plugin: str,
        decode: Callable[[Payload], T],
        size_of: Callable[[T], int],
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._data = data
        self._plugin = plugin
        self._decode = decode
        self._size_of = size_of
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._at_once = threading.Semaphore(os.cpu_count() or 1)
        self._kept: OrderedDict[RecordPlace, tuple[T | Undecodable, int]] = OrderedDict()
        self._coming: dict[RecordPlace, Future[T | Undecodable]] = {}
        self._size = 0

    @property
    def size(self) -> int:
        """Bytes held."""
        return self._size

    def get(self, place: RecordPlace) -> T:
        """The value of the record.

        Raises Undecodable, which names the record and why, and NotFound when another one is there now.
        """
        with self._lock:
            kept = self._kept.get(place)
            coming = self._coming.get(place)
            if kept is not None:
                self._kept.move_to_end(place)
            elif coming is None:
                own = self._coming[place] = Future()
        if kept is not None:
            return _value(kept[0])
        return _value(coming.result() if coming is not None else self._made(place, own))

    def _made(self, place: RecordPlace, future: Future[T | Undecodable]) -> T | Undecodable:
        try:
            with self._at_once:
                value = self._decoded(place)
        except BaseException as error:  # to whoever waits; the next who asks tries again
            with self._lock:
                del self._coming[place]
            future.set_exception(error)
            raise
        size = _ENTRY + (0 if isinstance(value, Undecodable) else self._size_of(value))
        with self._lock:
            del self._coming[place]
            if size <= self._max_bytes:
                self._kept[place] = value, size
                self._size += size
            while self._size > self._max_bytes:
                _, (_, least) = self._kept.popitem(last=False)
                self._size -= least
        future.set_result(value)
        return value

    def _decoded(self, place: RecordPlace) -> T | Undecodable:
        try:
            payload = self._data.payload(self._plugin, place.key, place.index, place.attempts)
        except Undecodable:  # not kept: the file may be readable again
            self._check(place)
            raise
        self._check(place)
        try:
            return self._decode(payload)
        except ValueError as error:
            return Undecodable(f"{place}: {error}")

    def _check(self, place: RecordPlace) -> None:
        """Raises NotFound if a restart hid records, so that another one has this index now."""
        key = place.key
        if record_at(self._data, self._plugin, key, place.index, place.attempts) != place:
            raise NotFound(f"record {place.index} of {key.tag!r} of run {key.run!r} is no longer there")


def _value(value: T | Undecodable) -> T:
    if isinstance(value, Undecodable):
        raise Undecodable(str(value))  # a new one: the traceback of an exception grows with each raise
    return value
