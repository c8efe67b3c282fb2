"""The scanners against a reader that takes one record after the other."""

from __future__ import annotations

import os
import struct
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from insight_core.formats.batch import Batch
from insight_core.formats.columns import Block
from insight_core.formats.event import Malformed, read_event
from insight_core.ingest.scanner.scanner import open_scanner
from insight_core.plugin import Dialect
from insight_record.formats.crc32c import crc32c, masked, masked_crc32c
from insight_record.formats.framing import find_header
from tests.oracles.implementations import BOTH, scan_with


@pytest.fixture(params=BOTH, autouse=True)
def _which_scanner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test of this file is one of the scanner and its oracle."""
    scan_with(request.param, monkeypatch)


def varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def message(number: int, payload: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def record(event: bytes) -> bytes:
    length = struct.pack("<Q", len(event))
    crcs = (struct.pack("<I", masked_crc32c(part)) for part in (length, event))
    return length + next(crcs) + event + next(crcs)


def event(step: int, values: list[bytes], wall_time: float = 1.5) -> bytes:
    summary = b"".join(message(1, value) for value in values)
    return b"\x09" + struct.pack("<d", wall_time) + b"\x10" + varint(step) + message(5, summary)


def simple(tag: str, number: float) -> bytes:
    return message(1, tag.encode()) + b"\x15" + struct.pack("<f", number)


def tensor(tag: str, number: float, *, double: bool, plugin: str = "") -> bytes:
    typed = message(6, struct.pack("<d", number)) if double else message(5, struct.pack("<f", number))
    body = b"\x08" + bytes([2 if double else 1]) + message(2, b"") + typed
    metadata = message(9, message(1, message(1, plugin.encode()))) if plugin else b""
    return message(1, tag.encode()) + metadata + message(8, body)


def image(tag: str, payload: bytes) -> bytes:
    return message(1, tag.encode()) + message(4, payload)


VERSION = record(b"\x09" + struct.pack("<d", 1.0) + message(3, b"brain.Event:2"))

Point = tuple[str, str, int, float, float | None]


def one_by_one(data: bytes) -> tuple[list[Point], list[int]]:
    """(tag, field, step, wall time, number) of every sound record, and offsets of the others.

    A bad header is skipped if a good one follows.
    """
    points: list[Point] = []
    flaws = []
    position = 0
    while position + 12 <= len(data):
        length, crc = struct.unpack_from("<QI", data, position)
        if masked_crc32c(data[position : position + 8]) != crc:
            after, _ = find_header(data, position + 1, len(data))
            if after is None:
                break
            flaws.append(position)
            position = after
            continue
        if position + length + 16 > len(data):
            break
        body = data[position + 12 : position + 12 + length]
        try:
            if masked_crc32c(body) != struct.unpack_from("<I", data, position + 12 + length)[0]:
                raise Malformed("checksum")
            layout = read_event(body, Dialect.TENSORBOARD)
        except Malformed:
            flaws.append(position)
        else:
            for v in layout.values:
                if v.field:
                    tag = v.tag.decode("utf-8", "backslashreplace")
                    points.append((tag, v.field, layout.step, layout.wall_time, v.number_value))
        position += length + 16
    return points, flaws


def scan(data: bytes) -> Batch:
    """One batch of a file that holds ``data``."""
    descriptor = os.memfd_create("events")
    try:
        os.write(descriptor, data)
        return open_scanner(Dialect.TENSORBOARD).scan(descriptor, 0, len(data))
    finally:
        os.close(descriptor)


def by_tag(points: list[Point]) -> dict[tuple[str, str], list[tuple[int, float, str]]]:
    found = defaultdict(list)
    for tag, field, step, wall_time, number in points:
        found[tag, field].append((step, wall_time, repr(number)))
    return dict(found)


def flat(blocks: list[Block]) -> list[Point]:
    found: list[Point] = []
    for block in blocks:
        c = block.columns
        values = [None] * len(c.steps) if c.values is None else c.values.tolist()
        tags = np.repeat(block.tags, np.diff(block.ends, prepend=0))
        found += [
            (tag, block.field, step, wall, value)
            for tag, step, wall, value in zip(
                tags.tolist(), c.steps.tolist(), c.wall_times.tolist(), values, strict=True
            )
        ]
    return found


def numbers_by_tag(points: list[Point]) -> dict[str, list[tuple[int, float, str]]]:
    """Those of a tag in one order, whatever field they have."""
    found = defaultdict(list)
    for tag, _, step, wall_time, number in points:
        if number is not None:
            found[tag].append((step, wall_time, repr(number)))
    return dict(found)


numbers = st.one_of(st.floats(width=32), st.just(float("nan")))
tags = st.sampled_from(["a", "b", "loss/train", "loss/valid", "ünïcödé", ""])
value_kinds = st.one_of(
    st.builds(simple, tags, numbers),
    st.builds(tensor, tags, numbers, double=st.booleans(), plugin=st.sampled_from(["", "scalars", "text"])),
    st.builds(image, tags, st.binary(max_size=40)),
)
steps = st.one_of(st.integers(0, 300), st.integers(-(2**63), 2**63 - 1))
events = st.builds(event, steps, st.lists(value_kinds, max_size=3), st.floats(0, 2e9))
repeated = st.builds(
    lambda tag, first, count, values: [
        event(first + i, [simple(tag, v)]) for i, v in zip(range(count), values * count, strict=False)
    ],
    tags,
    st.integers(0, 200),
    st.integers(0, 40),
    st.lists(numbers, min_size=1, max_size=5),
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(events, max_size=12), st.lists(repeated, max_size=3), st.data())
def test_columns_equal_records_read_one_by_one(
    some: list[bytes], runs: list[list[bytes]], data: st.DataObject
) -> None:
    all_events = [*some, *(e for run in runs for e in run)]
    blob = bytearray(VERSION + b"".join(record(e) for e in data.draw(st.permutations(all_events))))
    for place in data.draw(st.lists(st.integers(0, len(blob) - 1), max_size=3)):
        blob[place] ^= data.draw(st.integers(1, 255))
    del blob[len(blob) - data.draw(st.integers(0, 20)) :]
    batch = scan(bytes(blob))
    points, flaws = one_by_one(bytes(blob))
    if batch.dialect is Dialect.MINDSPORE:
        return  # a flipped bit made it another dialect
    assert by_tag(flat(batch.blocks)) == by_tag(points)
    assert numbers_by_tag(flat(batch.blocks)) == numbers_by_tag(points)
    assert sorted(flaw.offset for flaw in batch.flaws) == flaws


def test_thousands_of_alike_events_keep_their_order_and_bits() -> None:
    values = np.random.default_rng(1).normal(size=3000).astype(np.float32)
    values[[5, 9]] = np.nan, np.inf
    blob = VERSION + b"".join(
        record(event(i, [simple(f"t{i % 3}", v)])) for i, v in enumerate(values.tolist())
    )
    batch = scan(blob)
    for block in batch.blocks:
        c = block.columns
        assert c.values is not None
        assert c.values.dtype == np.float32
        for tag, first, end in zip(block.tags, [0, *block.ends], block.ends, strict=False):
            picked = np.arange(int(tag[1:]), 3000, 3)
            np.testing.assert_array_equal(c.steps[first:end], picked)
            np.testing.assert_array_equal(c.values[first:end], values[picked])
    assert sorted(tag for block in batch.blocks for tag in block.tags) == ["t0", "t1", "t2"]


def test_metadata_in_every_event_is_read_by_column() -> None:
    """As TensorFlow 2 writes it."""
    alike = [
        event(i, [tensor(f"t{i % 3}", float(i), double=False, plugin="scalars")], wall_time=float(i))
        for i in range(3000)
    ]
    batch = scan(VERSION + b"".join(map(record, alike)))
    assert {tag: m.plugin for tag, m in batch.metadata.items()} == dict.fromkeys(
        ("t0", "t1", "t2"), "scalars"
    )
    steps: dict[str, list[int]] = {}
    for tag, _, step, _, _ in flat(batch.blocks):
        steps.setdefault(tag, []).append(step)
    assert steps == {f"t{k}": list(range(k, 3000, 3)) for k in range(3)}


def test_events_of_equal_length_and_thousands_of_shapes() -> None:
    """Each plugin name makes a shape of its own: what few share is not looked for among all."""
    alike = [
        event(i, [tensor("t", float(i), double=False, plugin=f"p{i:05d}")], wall_time=1.0)
        for i in range(3000)
    ]
    batch = scan(VERSION + b"".join(map(record, alike)))
    [block] = batch.blocks
    assert block.columns.steps.tolist() == list(range(3000))
    assert batch.metadata["t"].plugin == "p00000"


@pytest.mark.parametrize("gap", [1, 511, 512, 513, 4600, 40_000])
def test_bad_headers_within_a_chunk_are_skipped(gap: int) -> None:
    good = record(event(1, [simple("a", 1.0)]))
    garbage = b"\xee" * gap
    blob = VERSION + (good + garbage) * 3 + good
    batch = scan(blob)
    assert batch.blocks[0].columns.steps.tolist() == [1] * 4
    starts = [len(VERSION) + len(good) + k * len(good + garbage) for k in range(3)]
    assert [(f.offset, f.skipped) for f in batch.flaws] == [(start, gap) for start in starts]
    assert batch.end == len(blob)


def test_locators_point_at_the_payload() -> None:
    blob = VERSION + record(event(3, [simple("a", 1.0), image("img", b"\x08\x05PAYLOAD")]))
    [picture] = [block.columns for block in scan(blob).blocks if block.field == "image"]
    assert picture.places is not None
    offset, start, size = picture.places[:, 0].tolist()
    assert blob[start : start + size] == b"\x08\x05PAYLOAD"
    assert offset == len(VERSION)


def test_doubles_stay_doubles() -> None:
    blob = VERSION + b"".join(record(event(i, [tensor("d", 0.1 * i, double=True)])) for i in range(20))
    [block] = scan(blob).blocks
    assert block.columns.values is not None
    np.testing.assert_array_equal(block.columns.values, [0.1 * i for i in range(20)])


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"", 0), (b"123456789", 0xE3069283), (bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43)],
)
def test_crc32c_vectors(data: bytes, expected: int) -> None:
    """RFC 3720, B.4."""
    assert crc32c(data) == expected


@pytest.mark.parametrize("size", [63, 64, 4095, 4096, 4097, 4099, 8192, 100_003])
def test_crc32c_of_long_data_goes_on_from_any_split(size: int) -> None:
    data = np.random.default_rng(size).bytes(size)
    assert crc32c(data[size // 3 :], crc32c(data[: size // 3])) == crc32c(data)
    small = 0
    for start in range(0, size, 61):
        small = crc32c(data[start : start + 61], small)
    assert small == crc32c(data)
    assert masked(0) == 0xA282EAD8


def test_holes_of_a_sparse_file_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    first, last = record(event(1, [b"\x0a\x01a\x15\0\0\0\0"])), record(event(2, [b"\x0a\x01a\x15\0\0\0\0"]))
    far = 1 << 40
    with path.open("wb") as file:
        file.write(first)
        file.seek(far - 5)  # in the midst of a block
        file.write(b"\xff" * 5 + last)
        file.truncate(2 * far)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        scanner = open_scanner(Dialect.TENSORBOARD)
        position, steps, flaws, tail = 0, [], [], None
        for _ in range(20):  # of some MiB each
            batch = scanner.scan(descriptor, position, 2 * far)
            steps += [step for block in batch.blocks for step in block.columns.steps.tolist()]
            flaws += [(flaw.offset, flaw.skipped) for flaw in batch.flaws]
            position, tail = batch.end, batch.tail
            if tail is not None:
                break
    finally:
        os.close(descriptor)
    assert steps == [1, 2]
    assert flaws == [(len(first), far - len(first))]
    assert tail is not None
    assert (tail.offset, tail.skipped) == (far + len(last), far - len(last))


def test_find_header_skips_garbage() -> None:
    garbage = np.random.default_rng(0).bytes(5000)
    good = record(event(1, [simple("a", 1.0)]))
    assert find_header(garbage + good, 0, len(garbage) + len(good)) == (len(garbage), None)
    assert find_header(garbage + good[:-1], 0, len(garbage) + len(good) - 1) == (None, len(garbage))
    assert find_header(garbage, 0, 10**6) == (None, None)
