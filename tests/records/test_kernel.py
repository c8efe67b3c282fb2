"""The compiled scanner against its twin in Python, on whatever bytes a file may hold."""

from __future__ import annotations

import os
import struct
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from insight_core.api import Dialect
from insight_core.records import crc32c, framing, pure
from insight_core.records.batch import BAD_DATA, CUT_MEANWHILE, Batch, Flaw, ValueColumns
from insight_core.records.pure import PureScanner
from insight_core.records.scanner import CHUNK, Scanner
from insight_core.testing import wire

_kernel = pytest.importorskip("insight_core.records._kernel", reason="no compiled kernel here")
_crc32c = pytest.importorskip("insight_core.records._crc32c", reason="no compiled kernel here")

MakeScanner = Callable[..., Scanner]
BOTH: tuple[MakeScanner, MakeScanner] = (PureScanner, _kernel.CompiledScanner)


class Reading:
    """All that scans of a file gave, in comparable form: numbers as text, so that NaN equals NaN."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.position = 0
        self.points: dict[tuple[str, str], list[tuple[object, ...]]] = defaultdict(list)
        self.numbers: dict[str, list[tuple[object, ...]]] = defaultdict(list)  # by tag, of whatever field
        self.metadata: dict[str, object] = {}
        self.flaws: list[object] = []
        self.first_wall_time: float | None = None
        self.stops: list[object] = []  # where and why scanning stopped, and the dialect

    def follow_in_stretches(self, descriptor: int, size: int, borders: Sequence[int]) -> None:
        """Scans until there is nothing left, and no further than to each border at first."""
        for border in borders:
            while self.position < border:
                batch = self.scanner.scan(descriptor, self.position, size, border)
                self.add(batch)
                if batch.tail is not None or batch.end == size:
                    break
        self.follow(descriptor, size)

    def follow(self, descriptor: int, size: int) -> None:
        """Scans until there is nothing left of ``size`` bytes."""
        for _ in range(10_000):
            batch = self.scanner.scan(descriptor, self.position, size)
            self.add(batch)
            if batch.tail is not None or batch.end == size:
                self.stops.append((batch.end, batch.tail, batch.dialect, self.scanner.dialect))
                return
        raise AssertionError("the scan does not end")

    def add(self, batch: Batch) -> None:
        assert batch.end >= self.position
        self.position = batch.end
        self.flaws += batch.flaws
        for c in batch.columns:
            count = len(c.steps)
            numbers: Sequence[object] = [None] * count
            if c.values is not None:
                numbers = [f"{c.values.dtype} {number!r}" for number in c.values.tolist()]
            places: Sequence[object] = [None] * count
            if c.records is not None and c.starts is not None and c.sizes is not None:
                places = list(zip(c.records.tolist(), c.starts.tolist(), c.sizes.tolist(), strict=True))
            times = map(repr, c.wall_times.tolist())
            rows = list(zip(c.steps.tolist(), times, numbers, places, strict=True))
            for tag, first, end, ascending in zip(c.tags, [0, *c.ends], c.ends, c.ascending, strict=False):
                assert ascending == (c.steps[first:end].tolist() == sorted(c.steps[first:end].tolist()))
                self.points[tag, c.field] += rows[first:end]
                if c.values is not None:
                    self.numbers[tag] += rows[first:end]
        for tag, metadata in batch.metadata.items():
            self.metadata.setdefault(tag, metadata)
        if batch.first_wall_time is not None:
            known = self.first_wall_time
            self.first_wall_time = (
                batch.first_wall_time if known is None else min(known, batch.first_wall_time)
            )

    def result(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "scanner"}


@contextmanager
def opened(data: bytes) -> Iterator[int]:
    descriptor = os.memfd_create("events")
    try:
        os.write(descriptor, data)
        yield descriptor
    finally:
        os.close(descriptor)


def read(
    make: MakeScanner,
    data: bytes,
    sizes: Sequence[int],
    guess: Dialect,
    chunk: int,
    number_plugins: frozenset[str],
) -> dict[str, Any]:
    reading = Reading(make(guess, chunk, number_plugins))
    with opened(data) as descriptor:
        for size in sizes:
            reading.follow(descriptor, size)
    return reading.result()


def check(
    data: bytes,
    sizes: Sequence[int],
    guess: Dialect = Dialect.TENSORBOARD,
    chunk: int = CHUNK,
    number_plugins: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """What both give, which must be the same."""
    twin, kernel = (read(make, data, sizes, guess, chunk, number_plugins) for make in BOTH)
    assert kernel == twin
    return kernel


# --- bytes that look like events, more or less ----------------------------------------------------


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def block(number: int, payload: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def joined(strategy: st.SearchStrategy[bytes], most: int = 4) -> st.SearchStrategy[bytes]:
    return st.lists(strategy, max_size=most).map(b"".join)


integers = st.one_of(st.integers(0, 300), st.integers(0, 2**64 - 1), st.just(2**64 - 1), st.just(2**63))
short = st.binary(max_size=9)
any_field = st.builds(
    lambda number, kind, integer, payload: (
        varint(number << 3 | kind)
        + {
            0: varint(integer),
            1: payload[:8].ljust(8),
            2: varint(len(payload)) + payload,
            5: payload[:4].ljust(4),
        }.get(kind, b"")
    ),
    st.integers(1, 20),
    st.sampled_from([0, 0, 1, 2, 2, 5]),
    integers,
    short,
)
odd_bytes = st.one_of(
    st.binary(max_size=6),
    st.sampled_from(
        [
            b"\xff" * 10,
            b"\x80" * 9 + b"\x01",
            b"\x0b\x0c",
            b"\x03",
            b"\x00",
            b"\x07",
            b"\x12\xff\xff\xff\xff\x0f",
        ]
    ),
)
dtypes = st.one_of(st.sampled_from([1, 2]), st.integers(0, 25))
shapes = st.sampled_from(
    [b"", block(2, b""), block(2, block(2, b"\x08\x03")), block(2, b"\x18\x01"), b"\x10\x01"]
)
typed = st.one_of(
    st.builds(lambda number, value: block(number, value), st.sampled_from([4, 5, 6, 7, 10, 13]), short),
    st.builds(lambda v: block(5, struct.pack("<f", v)), st.floats(width=32)),
    st.builds(lambda v: block(6, struct.pack("<d", v)), st.floats()),
    st.builds(lambda v: b"\x2d" + struct.pack("<f", v), st.floats(width=32)),
    st.builds(lambda number, v: block(number, varint(v)), st.sampled_from([7, 10, 11, 13, 16, 17]), integers),
    st.builds(
        lambda number, v: varint(number << 3) + varint(v), st.sampled_from([7, 10, 11, 13, 16, 17]), integers
    ),
    st.builds(lambda size: block(4, bytes(range(200, 200 + size))), st.integers(0, 9)),
    any_field,
)
tensors = st.one_of(
    st.builds(
        lambda dtype, shape, content: b"\x08" + varint(dtype) + shape + content,
        dtypes,
        shapes,
        joined(typed, 2),
    ),
    st.builds(
        lambda size: b"\x08\x01" + block(5, bytes(size)), st.sampled_from([4, 248, 249, 250, 260, 400])
    ),
)
plugin_names = st.sampled_from([b"", b"scalars", b"hparams", b"\xff"])
metadata = st.one_of(
    st.builds(
        lambda name, content, more: block(1, block(1, name) + (block(2, content) if content else b"")) + more,
        plugin_names,
        short,
        st.sampled_from([b"", block(2, b"shown"), block(3, b"said"), b"\x20\x02"]),
    ),
    joined(any_field, 2),
)
tags = st.sampled_from(
    [b"", b"a", b"b", b"loss/train", b"loss/valid", "ünï".encode(), b"\xff\xfe", b"x" * 70]
)
contents = st.one_of(
    st.builds(lambda v: b"\x15" + struct.pack("<f", v), st.floats(width=32)),
    st.builds(lambda v: b"\x1d" + struct.pack("<f", v), st.floats(width=32)),
    st.builds(lambda v: block(8, v), tensors),
    st.builds(block, st.sampled_from([4, 5, 6, 9, 10]), st.binary(max_size=90)),
)
values = st.one_of(
    st.builds(
        lambda tag, some, content: block(1, tag) + some + content,
        tags,
        metadata.map(lambda m: block(9, m)),
        contents,
    ),
    st.builds(lambda tag, content: block(1, tag) + content, tags, contents),
    st.builds(
        lambda parts: b"".join(parts),
        st.lists(st.one_of(contents, tags.map(lambda t: block(1, t)), any_field), max_size=4),
    ),
    st.builds(lambda tag, some: block(1, tag) + block(9, some), tags, metadata),
)
summaries = st.lists(values, max_size=3).map(
    lambda some: block(5, b"".join(block(1, value) for value in some))
)
wall_times = st.one_of(st.floats(0, 2e9), st.floats()).map(lambda time: b"\x09" + struct.pack("<d", time))
steps = integers.map(lambda step: b"\x10" + varint(step))
whole = st.builds(lambda time, step, summary: time + step + summary, wall_times, steps, summaries)
tagged = st.builds(lambda tag, payload: block(8, block(1, tag) + block(2, payload)), tags, short)
jumbled = st.lists(
    st.one_of(
        wall_times,
        steps,
        summaries,
        tagged,
        st.builds(block, st.sampled_from([3, 4, 6, 8, 9]), short),
        any_field,
        odd_bytes,
        values.map(lambda value: block(5, block(1, value) + block(2, b"xy"))),
    ),
    max_size=4,
).map(b"".join)
alike = st.builds(
    lambda tag, first, count, extra: b"".join(
        wire.record(
            b"\x09"
            + struct.pack("<d", first + k)
            + b"\x10"
            + varint(first + k)
            + block(5, block(1, block(1, tag + str(k % 3).encode()) + extra + b"\x15" + struct.pack("<f", k)))
        )
        for k in range(count)
    ),
    tags,
    st.integers(0, 200),
    st.integers(5, 30),
    st.one_of(st.just(b""), metadata.map(lambda m: block(9, m))),
)
numbers_in_turn = st.builds(
    lambda events, count: b"".join(
        wire.record(
            b"\x09"
            + struct.pack("<d", k)
            + b"\x10"
            + varint(k * 50)
            + block(5, block(1, head + content(k) + tail) + more)
        )
        for k in range(count)
        for head, content, tail, more in events
    ),
    st.lists(
        st.tuples(
            st.one_of(tags.map(lambda tag: block(1, tag)), st.just(b"")),
            st.sampled_from(
                [
                    lambda k: b"\x15" + struct.pack("<f", k),
                    lambda k: block(8, b"\x08\x01" + block(5, struct.pack("<f", k))),
                    lambda k: block(8, b"\x08\x02" + block(6, struct.pack("<d", k)) + b"\x10\x01"),
                    lambda k: block(8, b"\x08\x01" + block(4, struct.pack("<f", k))),
                    lambda k: block(8, b"\x08\x01\x28" + bytes([k | 128, 128, 128, k])),
                    lambda k: block(8, b"\x08\x03" + block(7, varint(k * 100))),
                    lambda k: b"\x15" + struct.pack("<f", k) + b"\x15" + struct.pack("<f", k // 4),
                    lambda k: block(4, bytes([k])),
                ]
            ),
            st.one_of(st.just(b""), metadata.map(lambda m: block(9, m)), any_field),
            st.sampled_from([b"", b"", block(1, b"\x15\0\0\0\0"), block(1, block(1, b"n")), b"\x10\x02"]),
        ),
        min_size=1,
        max_size=4,
    ),
    st.integers(2, 12),
)
versions = st.sampled_from(
    [b"brain.Event:2", b"MindSpore.Event:1", b"mindSPORE", b"", b"\xff", b"x" * 60 + b"mindspore"]
)
records = st.one_of(
    st.one_of(whole, jumbled).map(wire.record),
    versions.map(lambda version: wire.record(b"\x09" + struct.pack("<d", 1.0) + block(3, version))),
    alike,
    numbers_in_turn,
    st.builds(lambda event: wire.record(event, bad_data_crc=True), whole),
    st.builds(lambda event: wire.record(event, bad_length_crc=True), whole),
    st.binary(min_size=1, max_size=40),
    st.integers(0, 2**33).map(lambda n: struct.pack("<QI", n, wire.masked_crc32c(struct.pack("<Q", n)))),
)


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, list[int]]:
    """The bytes of a file, and the sizes at which it is looked at as it grows."""
    data = bytearray(b"".join(draw(st.lists(records, max_size=10))))
    for _ in range(draw(st.sampled_from([0, 0, 1, 3]))):
        if data:
            data[draw(st.integers(0, len(data) - 1))] ^= draw(st.integers(1, 255))
    if draw(st.booleans()):
        del data[draw(st.integers(0, len(data))) :]
    if draw(st.booleans()):
        data += b"".join(draw(st.lists(records, max_size=2)))
    sizes = sorted(draw(st.lists(st.integers(0, len(data)), max_size=3)))
    return bytes(data), [*sizes, len(data)]


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(files(), st.sampled_from(list(Dialect)), st.sampled_from([CHUNK, CHUNK, 64, 300]))
def test_both_scanners_read_the_same(file: tuple[bytes, list[int]], guess: Dialect, chunk: int) -> None:
    check(*file, guess, chunk)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(files(), st.sampled_from([CHUNK, 64, 300]))
def test_without_locators_of_numbers_the_rest_is_the_same(file: tuple[bytes, list[int]], chunk: int) -> None:
    every = check(*file, Dialect.TENSORBOARD, chunk)
    fewer = check(*file, Dialect.TENSORBOARD, chunk, frozenset({"scalars", "\\xff"}))
    taken = {tag for tag, each in every["metadata"].items() if each.plugin in ("scalars", "\\xff")}
    for name in ("flaws", "metadata", "stops", "first_wall_time"):
        assert fewer[name] == every[name]
    for reading in (every, fewer):
        for (tag, _), rows in reading["points"].items():
            rows[:] = [row[:3] if tag in taken and row[2] is not None else row for row in rows]
    assert fewer["points"] == every["points"]


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    files(), st.sampled_from(list(Dialect)), st.sampled_from([CHUNK, 64, 300]), st.sampled_from([0, 30, 60])
)
def test_both_scanners_read_the_same_of_records_that_stay_on_disk(
    file: tuple[bytes, list[int]], guess: Dialect, chunk: int, longest: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        for module in (framing, pure, _kernel):
            patched.setattr(module, "LONGEST_READ", longest)
        check(*file, guess, chunk)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400).map(lambda event: wire.record(event)))
def test_both_scanners_read_the_same_of_any_event(data: bytes) -> None:
    check(data * 2, [len(data) * 2])


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(files(), st.lists(st.integers(0, 2000), max_size=5).map(sorted), st.sampled_from([CHUNK, 64, 300]))
def test_a_scan_in_stretches_reads_the_same(
    file: tuple[bytes, list[int]], borders: list[int], chunk: int
) -> None:
    data, size = file[0], len(file[0])
    for make in BOTH:
        whole, stretches = (
            Reading(make(Dialect.TENSORBOARD, chunk)),
            Reading(make(Dialect.TENSORBOARD, chunk)),
        )
        with opened(data) as descriptor:
            whole.follow(descriptor, size)
            stretches.follow_in_stretches(descriptor, size, borders)
        assert stretches.result() == whole.result()


@pytest.mark.parametrize("make", BOTH)
def test_a_scan_ends_with_the_last_record_that_begins_before_the_border(make: MakeScanner) -> None:
    records = [wire.record(b"\x10" + varint(k) + block(9, bytes(k))) for k in range(20)]
    ends = np.cumsum([len(record) for record in records]).tolist()
    data = b"".join(records)
    scanner = make(Dialect.TENSORBOARD, CHUNK)
    with opened(data) as descriptor:
        for until in range(1, len(data) + 1):
            batch = scanner.scan(descriptor, 0, len(data), until)
            assert (batch.end, batch.tail) == (next(end for end in ends if end >= until), None)


@pytest.mark.parametrize("make", BOTH)
def test_a_scan_elsewhere_forgets_the_damage_that_it_was_searching_behind(make: MakeScanner) -> None:
    good = wire.record(b"\x10\x01" + block(5, block(1, b"\x15\0\0\0\0")))
    data = good * 3 + b"\xee" * 300 + good
    with opened(data) as descriptor:
        scanner = make(Dialect.TENSORBOARD, 64)
        scanner.scan(descriptor, len(good) * 3, len(data) - 100)
        batch = scanner.scan(descriptor, 0, len(data))
        assert batch.end >= len(good)
        assert not batch.flaws


# --- cases that chance seldom finds ---------------------------------------------------------------


def test_sample_logs(sample_logs: Path) -> None:
    files = [path for path in sample_logs.rglob("*") if path.is_file()]
    points = 0
    for path in files:
        data = path.read_bytes()
        points += sum(map(len, check(data, [len(data)])["points"].values()))
    assert points > 1000


def long_event(payload: int, after: bytes, *, number: bool = False, tag: bytes = b"big") -> bytes:
    image = block(1, tag) + block(4, b"\x08\x01" + bytes(payload)) + after
    loss = block(1, block(1, b"loss") + b"\x15" + struct.pack("<f", 0.5)) if number else b""
    return b"\x10\x07" + block(5, block(1, image) + loss) + b"\x09" + struct.pack("<d", 2.0)


@pytest.mark.parametrize("number", [False, True])
@pytest.mark.parametrize("bad", [False, True])
@pytest.mark.parametrize("tag", [b"big", b"t" * 5000, b"t" * 300_000])
def test_long_records(number: bool, bad: bool, tag: bytes) -> None:
    """They are read around their payloads, and verified if they hold numbers."""
    after = block(9, block(1, block(1, b"images")))
    event = long_event(5 << 20, after, number=number, tag=tag)
    small = wire.record(b"\x10\x01" + block(5, block(1, block(1, b"loss") + b"\x15" + struct.pack("<f", 1))))
    long = wire.record(event)
    long = long[:-1] + bytes([long[-1] ^ bad])
    data = small + long + small + long + small
    found = check(data, [len(small) + 9, len(small) + 900, len(data)])
    losses = [step for step, *_ in found["points"]["loss", "simple_value"]]
    assert losses == ([1, 1, 1] if not number or bad else [1, 7, 1, 7, 1])
    assert len(found["points"].get((tag.decode(), "image"), [])) == (0 if number and bad else 2)
    assert len(found["flaws"]) == (2 if number and bad else 0)


def test_malformed_long_records_are_flaws() -> None:
    record = wire.record(long_event(300_000, b"\x1d\x00\x00\x00"))
    assert check(record + record, [len(record) * 2])["flaws"]
    good = wire.record(long_event(300_000, b""))
    assert [flaw.reason for flaw in check(record[:-1] + b"\x00" + good, [len(record + good)])["flaws"]] == [
        BAD_DATA
    ]


def test_many_tags_and_much_metadata() -> None:
    """More than the tables of the kernel hold at first."""
    events = [
        b"\x10" + varint(k)
        + block(5, block(1, block(1, b"tag%d" % (k * 7919 % 3000))
        + block(9, block(1, block(1, b"p%d" % (k % 500)))) + b"\x15" + struct.pack("<f", k)))
        for k in range(9000)
    ]  # fmt: skip
    data = b"".join(map(wire.record, events))
    found = check(data, [len(data) // 3, len(data)])
    assert len(found["points"]) == len(found["metadata"]) == 3000


def test_a_tag_that_is_a_number_then_a_payload_keeps_its_order() -> None:
    number = block(8, b"\x08\x01" + block(5, struct.pack("<f", 1.5)))
    double = block(8, b"\x08\x02" + block(6, struct.pack("<d", 2.5)))
    text = block(8, b"\x08\x07" + block(8, b"text"))
    data = b"".join(
        wire.record(b"\x10" + varint(k) + block(5, block(1, block(1, b"t") + content)))
        for k, content in enumerate([number, number, text, double, number, text])
    )
    for make in BOTH:
        with opened(data) as descriptor:
            columns = make(Dialect.TENSORBOARD, CHUNK).scan(descriptor, 0, len(data)).columns
        assert [c.steps.tolist() for c in columns] == [[0, 1], [2], [3], [4], [5]]
        assert [None if c.values is None else c.values.dtype for c in columns] == [
            np.float32, None, np.float64, np.float32, None,
        ]  # fmt: skip


def test_a_tag_of_two_fields_with_numbers_keeps_its_order() -> None:
    simple = b"\x15" + struct.pack("<f", 0.5)
    single = block(8, b"\x08\x01" + block(5, struct.pack("<f", 1.5)))
    double = block(8, b"\x08\x02" + block(6, struct.pack("<d", 2.5)))
    text = block(8, b"\x08\x07" + block(8, b"text"))
    contents = [simple, single, single, simple, text, simple, double, simple]
    data = b"".join(
        wire.record(
            b"\x10"
            + varint(k)
            + block(5, block(1, block(1, b"t") + content) + block(1, block(1, b"other") + simple))
        )
        for k, content in enumerate(contents)
    )
    for make in BOTH:
        with opened(data) as descriptor:
            found = make(Dialect.TENSORBOARD, CHUNK).scan(descriptor, 0, len(data)).columns
        columns = [c for c in found if c.tags == ("t",)]
        assert [c.steps.tolist() for c in columns] == [[0], [1, 2], [3], [4], [5], [6], [7]]
        assert [None if c.values is None else c.values.tolist() for c in columns] == [
            [0.5], [1.5, 1.5], [0.5], None, [0.5], [2.5], [0.5],
        ]  # fmt: skip
        assert [c.field for c in columns] == [
            "simple_value", "tensor", "simple_value", "tensor", "simple_value", "tensor", "simple_value",
        ]  # fmt: skip
        assert all((c.records is None) == (c.field == "simple_value") for c in columns)
        assert [c.steps.tolist() for c in found if c.tags == ("other",)] == [list(range(8))]


def number_events(tag: bytes, plugins: Sequence[bytes], content: bytes) -> list[bytes]:
    """Records with one value each, of which those of a plugin say so in their metadata."""
    return [
        wire.record(
            b"\x10\x01"
            + block(
                5, block(1, block(1, tag) + (block(9, block(1, block(1, name))) if name else b"") + content)
            )
        )
        for name in plugins
    ]


ONE_NUMBER = block(8, b"\x08\x01" + block(5, struct.pack("<f", 1.5)))
ONE_TEXT = block(8, b"\x08\x07" + block(8, b"text"))
SCALARS = frozenset({"scalars"})


def located(columns: list[ValueColumns]) -> dict[str, list[bool]]:
    """Whether there are locators, in each of the columns of each tag."""
    found = defaultdict(list)
    for each in columns:
        for tag in each.tags:
            found[tag].append(each.records is not None)
    return dict(found)


@pytest.mark.parametrize("make", BOTH)
def test_numbers_that_are_taken_as_such_need_no_locators(make: MakeScanner) -> None:
    """By the first metadata of their tag; what is no number keeps its locators, and numbers of others do."""
    ours = number_events(b"ours", [b"scalars", b"", b"text"], ONE_NUMBER)
    theirs = number_events(b"theirs", [b"text", b"scalars", b""], ONE_NUMBER)
    nobodys = number_events(b"nobody's", [b"", b""], ONE_NUMBER)
    mixed = number_events(b"mixed", [b"scalars"], ONE_NUMBER)
    mixed += number_events(b"mixed", [b"scalars"], ONE_TEXT) + mixed
    data = b"".join(ours + theirs + nobodys + mixed)
    with opened(data) as descriptor:
        columns = make(Dialect.TENSORBOARD, CHUNK, SCALARS).scan(descriptor, 0, len(data)).columns
    assert located(columns) == {
        "ours": [False],
        "theirs": [True],
        "nobody's": [True],
        "mixed": [False, True, False],
    }
    assert all(c.values is not None or c.records is not None for c in columns)


@pytest.mark.parametrize("make", BOTH)
def test_whose_a_tag_is_is_known_only_where_all_before_it_was_read(make: MakeScanner) -> None:
    early, late = (number_events(tag, [b"scalars"] * 3, ONE_NUMBER) for tag in (b"early", b"late"))
    stretches = [early[0], early[1] + late[0], early[2] + late[1], late[2]]
    starts = np.cumsum([0, *map(len, stretches)]).tolist()
    data = b"".join(stretches)
    with opened(data) as descriptor:
        scanner = make(Dialect.TENSORBOARD, CHUNK, SCALARS)
        scans = [scanner.scan(descriptor, starts[k], len(data), starts[k] + 1) for k in (0, 2, 3)]
        elsewhere = make(Dialect.TENSORBOARD, CHUNK, SCALARS).scan(descriptor, starts[1], len(data))
    assert [located(batch.columns) for batch in scans] == [
        {"early": [False]},
        {"early": [False]},
        {"late": [True]},
    ]
    assert located(elsewhere.columns) == {"early": [True], "late": [True]}


def test_a_tag_of_numbers_and_of_payloads_is_two_columns() -> None:
    """However they alternate: these are no points of one series."""
    simple, text = b"\x15" + struct.pack("<f", 0.5), block(8, b"\x08\x07" + block(8, b"text"))
    data = b"".join(
        wire.record(b"\x10" + varint(k) + block(5, block(1, block(1, b"t") + content)))
        for k, content in enumerate([simple, text] * 20)
    )
    for make in BOTH:
        with opened(data) as descriptor:
            found = make(Dialect.TENSORBOARD, CHUNK).scan(descriptor, 0, len(data)).columns
        assert sorted((c.field, len(c.steps)) for c in found) == [("simple_value", 20), ("tensor", 20)]


@pytest.mark.parametrize("portable", [False, True])
def test_checksums_are_those_of_the_tables(portable: bool) -> None:
    random = np.random.default_rng(5)
    for size in [*range(70), 1023, 3071, 3072, 3073, 3079, 6144, 100_003]:
        data = random.bytes(size)
        split = size // 3
        expected = crc32c.crc32c_in_python(data)
        assert _crc32c.crc32c(data, portable=portable) == expected
        before = _crc32c.crc32c(data[:split], portable=portable)
        assert _crc32c.crc32c(memoryview(data)[split:], before, portable=portable) == expected


@pytest.mark.parametrize("make", BOTH)
def test_a_file_that_cannot_be_read_is_an_error(make: MakeScanner) -> None:
    with pytest.raises(OSError, match="Bad file descriptor"):
        make(Dialect.TENSORBOARD, CHUNK).scan(1 << 20, 0, 100)


@pytest.mark.parametrize("make", BOTH)
def test_a_file_that_is_shorter_than_it_was_ends_there(make: MakeScanner) -> None:
    data = wire.record(b"\x10\x01" + block(5, block(1, b"\x15\0\0\0\0")))
    with opened(data + data[:20]) as descriptor:
        scanner = make(Dialect.TENSORBOARD, CHUNK)
        batch = scanner.scan(descriptor, 0, len(data) * 5)
        assert batch.end == len(data)
        assert batch.tail is not None
        os.ftruncate(descriptor, len(data))
        batch = scanner.scan(descriptor, batch.end, len(data) * 5)
        assert (batch.end, batch.tail) == (len(data), Flaw(len(data), CUT_MEANWHILE))


def test_a_varint_is_no_number_of_a_tensor_of_floats() -> None:
    """However many bytes it has: these say themselves how many there are."""
    values = [b"\x81\x82\x83\x01", b"\x84\x85\x86\x07", b"\x81\x02\x10\x01"] * 9
    data = b"".join(number_events(b"t", [b""], block(8, b"\x08\x01\x28" + value))[0] for value in values)
    found = check(data, [len(data)])
    assert [number for _, _, number, _ in found["points"]["t", "tensor"]] == [None] * len(values)
    assert not found["flaws"]


def test_events_that_look_alike_are_read_alike() -> None:
    """Tags in turn, then in another order, with metadata now and then, and then as another type."""
    single = [block(8, b"\x08\x01" + block(5, struct.pack("<f", k))) for k in range(6)]
    double = [block(8, b"\x08\x02" + block(6, struct.pack("<d", k))) for k in range(6)]
    turns = [(name, content) for content in single + double for name in (b"a", b"b", b"c")]
    turns += [(name, content) for content in single for name in (b"c", b"a", b"a")]
    events = [
        number_events(tag, [b"scalars" if k % 5 == 0 else b""], content)[0]
        for k, (tag, content) in enumerate(turns)
    ]
    events.insert(7, wire.record(b"\x10\x01", bad_data_crc=True))
    data = b"".join(events)
    found = check(data, [len(data) // 2, len(data)])
    expected: dict[str, list[str]] = defaultdict(list)
    for tag, content in turns:
        kind, number = ("float32", "<f") if content in single else ("float64", "<d")
        (value,) = struct.unpack(number, content[-struct.calcsize(number) :])
        expected[tag.decode()].append(f"{kind} {value!r}")
    numbers = {tag: [number for _, _, number, _ in rows] for tag, rows in found["numbers"].items()}
    assert numbers == expected
    assert [flaw.reason for flaw in found["flaws"]] == [BAD_DATA]


def bodies() -> list[bytes]:
    """What follows the step in events of one number, and in some that nearly are."""
    simple = b"\x15" + struct.pack("<f", 1.5)
    single = block(8, b"\x08\x01" + block(5, struct.pack("<f", 1.5)))
    double = block(8, b"\x08\x02\x12\x00" + block(6, struct.pack("<d", 1.5)))
    scalars = block(9, block(1, block(1, b"scalars")))
    tag = block(1, b"a")
    return [
        block(5, block(1, tag + simple)),
        block(5, block(1, tag + single + scalars)),
        block(5, block(1, scalars + double + tag)),
        block(5, block(1, tag + simple) + block(1, block(1, b"b") + simple)),
        block(5, block(1, tag + simple) + block(1, block(1, b"b") + block(4, b"image"))),
        block(5, block(1, tag + simple)) + b"\x10\x02",
        block(5, block(1, tag + simple)) + b"\x09" + struct.pack("<d", 2.0),
        block(8, block(1, b"b")) + block(5, block(1, tag + simple)),
        block(5, block(1, tag + simple + single)),
        block(5, block(1, tag + simple * 2)),
    ]


@pytest.mark.parametrize("body", bodies())
def test_an_event_that_differs_in_one_byte_is_read_for_itself(body: bytes) -> None:
    event = b"\x09" + struct.pack("<d", 1.0) + b"\x10\x81\x01" + body
    same = wire.record(event)
    data = bytearray(same * 2)
    for place in range(len(event)):
        for flip in (1, 2, 8, 128):
            data += wire.record(event[:place] + bytes([event[place] ^ flip]) + event[place + 1 :]) + same
    assert len(check(bytes(data), [len(data)])["points"]) > 1
