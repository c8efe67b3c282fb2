"""Decoded records: one decode for all who wait, bounded memory, errors that name the record."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from insight_core.plugin import CachePolicy, Dialect, EventField, NotFound, Plugin, RecordDecoder, Undecodable
from insight_core.plugin.data import Payload, RecordPlace, SeriesKey, record_at
from insight_core.plugin.testing import FakeProvider
from insight_core.web.value_cache import DecodedValues, values_of

KEY = SeriesKey("train", "pictures")
CLAIM = EventField(Dialect.TENSORBOARD, "image")


@pytest.fixture
def provider() -> FakeProvider:
    fake = FakeProvider()
    fake.add_records("image", "train", "pictures", [b"one", b"two", b"three", b"four"], claim=CLAIM)
    return fake


def _place(provider: FakeProvider, index: int) -> RecordPlace:
    return record_at(provider, "image", KEY, index)


def _values(
    provider: FakeProvider, decode: Callable[[Payload], bytes], max_bytes: int = 1 << 20
) -> DecodedValues[bytes]:
    decoder = RecordDecoder({CLAIM}, decode=decode, size_of=len)
    return values_of(
        Plugin("image", "I", decoder=decoder, cache=CachePolicy(payload_bytes=max_bytes)), provider
    )


def test_a_place_is_known_by_all_that_tells_records_apart(provider: FakeProvider) -> None:
    assert _place(provider, 2) == RecordPlace("image", KEY, 2, 2, 1.0e9 + 2, 5)
    with pytest.raises(NotFound, match="has no record 4: there are 4"):
        _place(provider, 4)
    with pytest.raises(NotFound):
        record_at(provider, "image", SeriesKey("train", "nothing"), 0)


def test_a_wall_time_that_is_no_number_is_a_place_too() -> None:
    fake = FakeProvider()
    fake.add_records("image", "train", "pictures", [b"one"], claim=CLAIM, wall_times=[np.nan])
    assert _place(fake, 0) == _place(fake, 0)
    assert hash(_place(fake, 0)) == hash(_place(fake, 0))


def test_a_value_is_decoded_once(provider: FakeProvider) -> None:
    decoded = []

    def decode(payload: Payload) -> bytes:
        decoded.append(payload.data)
        return payload.data.upper()

    values = _values(provider, decode)
    assert [values.at(_place(provider, index)) for index in (0, 1, 0)] == [b"ONE", b"TWO", b"ONE"]
    assert decoded == [b"one", b"two"]
    values = _values(provider, decode, max_bytes=0)  # nothing is kept without memory for it
    assert [values.at(_place(provider, 0)) for _ in range(2)] == [b"ONE", b"ONE"]
    assert (decoded[2:], values.size) == ([b"one", b"one"], 0)


def test_all_who_ask_at_the_same_time_wait_for_one_decode(provider: FakeProvider) -> None:
    begun, go = threading.Event(), threading.Event()
    decoded, got = [], []

    def decode(payload: Payload) -> bytes:
        decoded.append(payload.data)
        begun.set()
        assert go.wait(10)
        return payload.data

    values = _values(provider, decode)
    place = _place(provider, 0)
    threads = [threading.Thread(target=lambda: got.append(values.at(place))) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert begun.wait(10)
    go.set()
    for thread in threads:
        thread.join(10)
    assert (decoded, got) == ([b"one"], [b"one"] * 5)


def test_only_as_many_decodes_run_at_once_as_there_are_processors(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    lock = threading.Lock()
    running, most = 0, 0

    def decode(payload: Payload) -> bytes:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1
        return payload.data

    values = _values(provider, decode)
    places = [_place(provider, index) for index in range(4)]
    threads = [threading.Thread(target=values.at, args=[place]) for place in places]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert most == 2


def test_the_cache_is_bounded_and_what_was_not_asked_for_goes_first(provider: FakeProvider) -> None:
    decoded = []

    def decode(payload: Payload) -> bytes:
        decoded.append(payload.data)
        return bytes(10_000)

    values = _values(provider, decode, max_bytes=22_000)
    for index in (0, 1, 0, 2, 0, 1):
        values.at(_place(provider, index))
        assert values.size <= 22_000
    assert decoded == [b"one", b"two", b"three", b"two"]


def test_what_is_larger_than_the_cache_is_given_and_not_kept(provider: FakeProvider) -> None:
    values = _values(provider, lambda payload: bytes(5000), max_bytes=4000)
    assert len(values.at(_place(provider, 0))) == 5000
    assert values.size == 0


@pytest.mark.parametrize("derived", [False, True])
def test_what_cannot_be_decoded_names_the_record_and_is_remembered(
    provider: FakeProvider, derived: bool
) -> None:
    decoded = []

    def decode(payload: Payload) -> bytes:
        decoded.append(payload.data)
        raise ValueError("it is cut off")

    values = _values(provider, decode)
    asked = values.derived(len) if derived else values
    for _ in range(2):
        with pytest.raises(Undecodable) as raised:
            asked.at(_place(provider, 1))
        assert str(raised.value) == "'pictures' of run 'train', step 1 (record 1): it is cut off"
        assert raised.value.status == 422
    assert decoded == [b"two"]


def test_another_error_is_given_and_tried_again(provider: FakeProvider) -> None:
    answers = iter([RuntimeError("once"), None])

    def decode(payload: Payload) -> bytes:
        error = next(answers)
        if error is not None:
            raise error
        return payload.data

    values = _values(provider, decode)
    with pytest.raises(RuntimeError, match="once"):
        values.at(_place(provider, 0))
    assert values.at(_place(provider, 0)) == b"one"


def test_a_record_that_moved_is_not_shown_as_another(provider: FakeProvider) -> None:
    values = _values(provider, lambda payload: payload.data)
    place = _place(provider, 1)
    provider.add_records("image", "train", "pictures", [b"new", b"newer"], claim=CLAIM, wall_times=[5.0, 6.0])
    with pytest.raises(NotFound, match="record 1 of 'pictures' of run 'train' has disappeared"):
        values.at(place)


def test_a_record_is_found_by_its_index(provider: FakeProvider) -> None:
    values = _values(provider, lambda payload: payload.data)
    assert values.get(KEY, 3, "all") == b"four"
    with pytest.raises(NotFound, match="has no record 4: there are 4"):
        values.get(KEY, 4)


def test_derived_values_are_kept_and_what_they_are_made_of_is_not(provider: FakeProvider) -> None:
    decoded = []

    def decode(payload: Payload) -> bytes:
        decoded.append(payload.data)
        return payload.data * 1000

    values = _values(provider, decode, max_bytes=7_000)
    lengths = values.derived(len)
    assert [lengths.at(_place(provider, index)) for index in (0, 1, 2, 3, 0, 1, 2, 3)] == 2 * [
        3000,
        3000,
        5000,
        4000,
    ]
    assert decoded == [b"one", b"two", b"three", b"four"]
    assert len(values.at(_place(provider, 0))) == 3000
    assert decoded[4:] == [b"one"]


def test_what_cannot_be_derived_names_the_record(provider: FakeProvider) -> None:
    def make(value: bytes) -> int:
        raise ValueError("it has no length")

    derived = _values(provider, lambda payload: payload.data).derived(make)
    with pytest.raises(Undecodable, match=r"step 1 \(record 1\): it has no length"):
        derived.at(_place(provider, 1))
