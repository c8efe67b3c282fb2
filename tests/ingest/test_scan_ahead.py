"""A file read on two threads gives what one scan after the other gives, whatever its bytes are."""

from __future__ import annotations

import os
import struct
import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import insight_scalar
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from insight_authoring.testing import wire
from insight_core.formats.batch import Batch
from insight_core.ingest import event_file, scan_ahead
from insight_core.ingest import schedule as reading
from insight_core.ingest.event_file import EventFile
from insight_core.ingest.followed_file import Replaced
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.scan_ahead import FileVersion, ScanAhead
from insight_core.ingest.scanner.scanner import open_scanner
from insight_core.plugin import Dialect
from insight_core.plugin.data import ScalarQuery, SeriesKey
from insight_core.providers.local import LocalProvider

VERSION = wire.record(wire.version_event(Dialect.TENSORBOARD, 1.0))


def number(step: int, tag: str = "loss") -> bytes:
    return wire.record(wire.event(step, 1.0 + step, wire.summary([wire.scalar_value(tag, step / 4)])))


def payload(step: int, data: bytes) -> bytes:
    """A record of an image whose bytes are ``data``: records, for instance."""
    image = wire.message_field(1, b"picture") + wire.message_field(4, data)
    return wire.record(wire.event(step, 1.0 + step, wire.summary([image])))


def broken(step: int) -> bytes:
    whole = bytearray(number(step))
    whole[9] ^= 1
    return bytes(whole)


@pytest.fixture(autouse=True)
def small_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a few KiB are long."""
    for name, size in [("OWN", 300), ("AHEAD", 500), ("LEAST", 700), ("PAUSE", 900), ("_WINDOW", 400)]:
        monkeypatch.setattr(scan_ahead, name, size)
        if hasattr(event_file, name):
            monkeypatch.setattr(event_file, name, size)
    monkeypatch.setattr(event_file, "open_scanner", partial(open_scanner, chunk=600))


@pytest.fixture
def guesses(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether what was scanned ahead was of use, one after the other."""
    found: list[bool] = []
    batch = ScanAhead.batch

    def told(self: ScanAhead, position: int, version: FileVersion) -> Batch | None:
        result = batch(self, position, version)
        found.append(result is not None)
        return result

    monkeypatch.setattr(ScanAhead, "batch", told)
    return found


def all_of(file: EventFile, may_scan_ahead: bool) -> dict[str, Any]:
    """Everything that reading to the end gives, in comparable form."""
    points: dict[tuple[str, str], list[tuple[object, ...]]] = defaultdict(list)
    metadata: dict[str, object] = {}
    first: list[float] = []
    while (batch := file.read(may_scan_ahead)) is not None:
        for block in batch.blocks:
            c = block.columns
            nothing = [None] * len(c)
            places = [nothing] * 3 if c.places is None else c.places.tolist()
            values = nothing if c.values is None else c.values.tolist()
            rows = list(zip(c.steps.tolist(), c.wall_times.tolist(), values, *places, strict=True))
            for tag, first_row, end in zip(block.tags, [0, *block.ends], block.ends, strict=False):
                points[tag, block.field] += rows[first_row:end]
        for tag, found in batch.metadata.items():
            metadata.setdefault(tag, found)
        first += [batch.first_wall_time] if batch.first_wall_time is not None else []
    ends = (file.position, file.size, file.dialect, file.record())
    return {"points": points, "metadata": metadata, "first": min(first, default=None), "ends": ends}


def check(path: Path, data: bytes) -> dict[str, Any]:
    """What both ways of reading give, which must be the same."""
    path.write_bytes(data)
    one, two = (all_of(EventFile(str(path), Dialect.TENSORBOARD), ahead) for ahead in (False, True))
    assert two == one
    return two


numbers = st.builds(
    lambda first, count: b"".join(map(number, range(first, first + count))),
    st.integers(0, 99),
    st.integers(1, 30),
)
parts = st.one_of(
    numbers,
    st.builds(payload, st.integers(0, 99), numbers),
    st.builds(lambda size: payload(1, bytes(size)), st.sampled_from([10, 290, 500, 700, 2000])),
    st.builds(broken, st.integers(0, 9)),
    st.binary(min_size=1, max_size=60),
    st.just(VERSION),
    st.integers(0, 2**20).map(lambda n: struct.pack("<QI", n, wire.masked_crc32c(struct.pack("<Q", n)))),
)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(parts, min_size=1, max_size=12), st.sampled_from([0, 7, 20]), st.booleans())
def test_any_file_is_read_the_same(
    tmp_path_factory: pytest.TempPathFactory, some: list[bytes], cut: int, named: bool
) -> None:
    data = (VERSION if named else b"") + b"".join(some)
    check(tmp_path_factory.getbasetemp() / "events", data[: len(data) - cut])


def test_numbers_are_scanned_ahead(tmp_path: Path, guesses: list[bool]) -> None:
    found = check(tmp_path / "events", VERSION + b"".join(number(step) for step in range(500)))
    assert [step for step, *_ in found["points"]["loss", "simple_value"]] == list(range(500))
    assert len(guesses) > 10
    assert all(guesses)


def test_records_within_a_payload_are_none(tmp_path: Path, guesses: list[bool]) -> None:
    """Every guess lies within the payload, and what is there looks like records."""
    inner = b"".join(number(step, "inner") for step in range(200))
    data = VERSION + number(1) + payload(2, inner) + b"".join(number(step) for step in range(3, 200))
    found = check(tmp_path / "events", data)
    assert set(found["points"]) == {("loss", "simple_value"), ("picture", "image")}
    assert guesses[0] is False
    assert guesses[-1] is True, "it is tried again, later"


def test_payloads_that_nobody_reads_are_not_scanned_ahead(tmp_path: Path, guesses: list[bool]) -> None:
    found = check(tmp_path / "events", VERSION + b"".join(payload(k, bytes(300_000)) for k in range(20)))
    assert len(found["points"]["picture", "image"]) == 20
    assert len(guesses) <= 1, "only before anything is known of the file"


def test_damage_at_the_border_is_told_once(tmp_path: Path) -> None:
    records = [number(step) for step in range(200)]
    for place in range(2, 40):
        data = VERSION + b"".join([*records[:place], broken(0), b"\xee" * 30, *records[place:]])
        path = tmp_path / "events"
        check(path, data)
        file = EventFile(str(path), Dialect.TENSORBOARD)
        all_of(file, may_scan_ahead=True)
        assert len(file.flaws()) == 1


@pytest.fixture
def after_the_first_guess(tmp_path: Path, guesses: list[bool]) -> tuple[Path, EventFile, Callable[[], None]]:
    """A file of which a stretch has been scanned ahead, and not yet been asked for."""
    path = tmp_path / "events"
    path.write_bytes(VERSION + b"".join(number(step) for step in range(200)))
    file = EventFile(str(path), Dialect.TENSORBOARD)
    for _ in range(2):
        assert file.read(may_scan_ahead=True) is not None
    assert file._ahead is not None
    file._ahead._thread.join()
    assert not guesses
    return path, file, lambda: os.utime(path, (1e9, 1e9))


Begun = tuple[Path, EventFile, Callable[[], None]]


def test_a_file_that_has_grown_is_read_on(after_the_first_guess: Begun, guesses: list[bool]) -> None:
    path, file, _ = after_the_first_guess
    with path.open("ab") as appended:
        appended.write(number(200))
    steps = [step for step, *_ in all_of(file, True)["points"]["loss", "simple_value"]]
    assert steps[-1] == 200
    assert len(steps) == len(set(steps))
    assert guesses[0] is False


def test_a_file_that_was_replaced_is_noticed(after_the_first_guess: Begun) -> None:
    path, file, _ = after_the_first_guess
    other = path.with_name("other")
    other.write_bytes(VERSION + b"".join(number(step) for step in range(1000, 1400)))
    other.replace(path)
    with pytest.raises(Replaced):
        file.read(may_scan_ahead=True)


def test_a_file_that_was_written_anew_is_noticed(after_the_first_guess: Begun, guesses: list[bool]) -> None:
    path, file, age = after_the_first_guess
    path.write_bytes(VERSION + b"".join(number(step) for step in range(1000, 1400)))
    age()
    with pytest.raises(Replaced):
        file.read(may_scan_ahead=True)
    assert guesses == [False]


def test_a_file_that_went_meanwhile_is_scanned_in_order(
    after_the_first_guess: Begun, monkeypatch: pytest.MonkeyPatch, guesses: list[bool]
) -> None:
    """What the other thread cannot read, this one says."""
    path, file, _ = after_the_first_guess
    monkeypatch.setattr(file, "path", str(path.with_name("gone")))
    with pytest.raises(FileNotFoundError):
        file.read(may_scan_ahead=True)


def provider_of(logdir: Path) -> LocalProvider:
    return LocalProvider([Logdir(str(logdir))], [insight_scalar.insight_plugin()], reload_interval=0)


@pytest.mark.parametrize(("processors", "expected"), [(2, True), (1, False)])
def test_only_processors_to_spare_scan_ahead(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    guesses: list[bool],
    one_by_one: None,
    processors: int,
    expected: bool,
) -> None:
    monkeypatch.setattr(reading, "_processors", lambda: processors)
    (tmp_path / "events.out.tfevents.1.test").write_bytes(
        VERSION + b"".join(number(step) for step in range(2000))
    )
    with closing(provider_of(tmp_path)) as provider:
        provider.load()
        key = SeriesKey(".", "loss")
        columns = provider.scalars("scalar", [key], ScalarQuery(width=5000))[key]
        np.testing.assert_array_equal(columns.steps, np.arange(2000))
        np.testing.assert_array_equal(columns.values, np.arange(2000) / 4)
    assert bool(guesses) is expected
    assert not [thread for thread in threading.enumerate() if thread.name == "insight-scan-ahead"]
