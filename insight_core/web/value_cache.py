"""Decoded records of one plugin, in a cache that is bounded in bytes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from attrs import frozen
from cachetools import LRUCache

from insight_core.encoding import nbytes_of
from insight_core.plugin import Claim, NotFound, Plugin, Reason, ReasonKind, Undecodable, Values
from insight_core.plugin.data import DataProvider, RecordPlace, SeriesKey, ShownAttempts, record_at

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
D = TypeVar("D")

_ENTRY = 512  # bytes that the cache counts for a place, in addition to its value
_RECORD_GONE = ReasonKind("record_gone", "record {index} of {tag!r} of run {run!r} has disappeared")


@frozen(eq=False)
class Decoded(Generic[T]):
    """A decoded record with its claim, or why it cannot be decoded. ``size`` in bytes."""

    claim: Claim
    value: T | None = None
    size: int = 0
    problem: Reason | None = None


_Key: TypeAlias = tuple[object, RecordPlace]


class _Cache:
    """Results by key, computed once for concurrent requests; the least recently used are evicted."""

    def __init__(self, max_bytes: int) -> None:
        self._lock = threading.Lock()
        self._kept: LRUCache[_Key, Decoded[Any]] = LRUCache(max_bytes, _size_of)
        self._coming: dict[_Key, Future[Decoded[Any]]] = {}
        self.slots = threading.Semaphore(os.cpu_count() or 1)  # requests of other plugins go on meanwhile

    @property
    def size(self) -> int:
        """Bytes of all results."""
        return int(self._kept.currsize)

    def get(self, key: _Key, make: Callable[[], Decoded[T]], *, keep: bool) -> Decoded[T]:
        from concurrent.futures import Future  # slow to import

        with self._lock:
            kept = self._kept.get(key)
            coming = self._coming.get(key)
            if kept is None and coming is None:
                own = self._coming[key] = Future()
        if kept is not None:
            return kept
        return coming.result() if coming is not None else self._made(key, make, own, keep=keep)

    def _made(
        self, key: _Key, make: Callable[[], Decoded[T]], future: Future[Decoded[Any]], *, keep: bool
    ) -> Decoded[T]:
        try:
            found = make()
        except BaseException as error:  # raised in all waiting requests; the next request retries
            with self._lock:
                del self._coming[key]
            future.set_exception(error)
            raise
        with self._lock:
            del self._coming[key]
            if _size_of(found) <= self._kept.maxsize and (keep or found.problem is not None):
                self._kept[key] = found
        future.set_result(found)
        return found


def _size_of(found: Decoded[Any]) -> int:
    return _ENTRY + found.size


class DecodedValues(Values[T]):
    """``insight_core.plugin.Values``: decoded records, or what is derived from them, in one cache."""

    def __init__(
        self, data: DataProvider, plugin: str, cache: _Cache, make: Callable[[RecordPlace], Decoded[T]]
    ) -> None:
        self._data, self._plugin, self._cache, self._make = data, plugin, cache, make

    @property
    def size(self) -> int:
        """Bytes in the cache, including derived values."""
        return self._cache.size

    def get(self, key: SeriesKey, index: int, attempts: ShownAttempts = "last") -> T:
        """The decoded record at ``index`` of a series. Raises NotFound, and Undecodable for damage."""
        return self.at(record_at(self._data, self._plugin, key, index, attempts))

    def at(self, place: RecordPlace) -> T:
        """The decoded record at a place. Raises NotFound, and Undecodable for damage."""
        return self.read(place).value  # type: ignore[return-value]  # None if that was decoded

    def read(self, place: RecordPlace, *, keep: bool = True) -> Decoded[T]:
        """The value with its claim. Raises NotFound and Undecodable."""
        found = self._cache.get((self, place), lambda: self._make(place), keep=keep)
        if found.problem is not None:
            raise Undecodable(found.problem)
        return found

    def derived(self, make: Callable[[T], D], size_of: Callable[[D], int] = nbytes_of) -> DecodedValues[D]:
        """Values that ``make`` computes from decoded ones; cached together with them."""

        def made(place: RecordPlace) -> Decoded[D]:
            source = self.read(place, keep=False)
            with self._cache.slots:
                return _result(place, source.claim, lambda: make(source.value), size_of)  # type: ignore[arg-type]

        return DecodedValues(self._data, self._plugin, self._cache, made)


def values_of(plugin: Plugin, data: DataProvider) -> DecodedValues[Any]:
    """Records decoded by the plugin's decoder, at most one per processor at a time."""
    name, decoder, cache = str(plugin.name), plugin.decoder, _Cache(plugin.cache.payload_bytes)

    def made(place: RecordPlace) -> Decoded[Any]:
        if decoder is None or decoder.decode is None:
            raise TypeError(f"plugin {name} has no decoder.decode")
        with cache.slots:
            try:
                payload = data.payload(place.plugin, place.key, place.index, place.attempts)
            except Undecodable:  # not kept: the file may be readable again
                _check(data, place)
                raise
            _check(data, place)
            decode = decoder.decode
            return _result(place, payload.claim, lambda: decode(payload), decoder.size_of)

    return DecodedValues(data, name, cache, made)


def _result(
    place: RecordPlace, claim: Claim, make: Callable[[], T], size_of: Callable[[T], int]
) -> Decoded[T]:
    try:
        value = make()
    except ValueError as error:
        return Decoded(claim, problem=Reason.of(place.undecodable(error)))
    return Decoded(claim, value, size_of(value))


def _check(data: DataProvider, place: RecordPlace) -> None:
    """Raises NotFound if a restart hid records, so that another one has this index now."""
    if record_at(data, place.plugin, place.key, place.index, place.attempts) != place:
        key = place.key
        raise NotFound(_RECORD_GONE(run=key.run, tag=key.tag, index=place.index))
