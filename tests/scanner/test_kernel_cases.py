"""The compiled scanner and its twin in Python, in cases that chance seldom finds."""

from __future__ import annotations

import os
import struct
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from insight_authoring.testing import wire
from insight_core.formats.batch import BAD_DATA, CUT_MEANWHILE, Flaw
from insight_core.formats.columns import Block
from insight_core.ingest.scanner.scanner import CHUNK
from insight_core.plugin import Dialect
from insight_record.formats import crc32c
from tests.scanner.both_scanners import BOTH, MakeScanner, Reading, check, opened
from tests.scanner.event_bytes import block, varint
from tests.support.damaged_logdir import scalar_record

_crc32c = pytest.importorskip("insight_record.formats._crc32c", reason="no compiled kernel here")


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
            blocks = make(Dialect.TENSORBOARD, CHUNK).scan(descriptor, 0, len(data)).blocks
        assert [c.columns.steps.tolist() for c in blocks] == [[0, 1], [2], [3], [4], [5]]
        assert [None if c.columns.values is None else c.columns.values.dtype for c in blocks] == [
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
            found = make(Dialect.TENSORBOARD, CHUNK).scan(descriptor, 0, len(data)).blocks
        blocks = [c for c in found if c.tags == ("t",)]
        assert [c.columns.steps.tolist() for c in blocks] == [[0], [1, 2], [3], [4], [5], [6], [7]]
        assert [None if c.columns.values is None else c.columns.values.tolist() for c in blocks] == [
            [0.5], [1.5, 1.5], [0.5], None, [0.5], [2.5], [0.5],
        ]  # fmt: skip
        assert [c.field for c in blocks] == [
            "simple_value", "tensor", "simple_value", "tensor", "simple_value", "tensor", "simple_value",
        ]  # fmt: skip
        assert all((c.columns.places is None) == (c.field == "simple_value") for c in blocks)
        assert [c.columns.steps.tolist() for c in found if c.tags == ("other",)] == [list(range(8))]


def test_metadata_that_change_between_numbers_that_look_alike() -> None:
    """The last counts, also where an event looks like one before the change."""
    fields = (b"\x15" + struct.pack("<f", 0.5), block(8, b"\x08\x01" + block(5, struct.pack("<f", 1.5))))

    def records(order: Sequence[tuple[int, bytes]]) -> bytes:
        return b"".join(
            wire.record(
                b"\x09" + struct.pack("<d", step) + b"\x10" + varint(step)
                + block(5, block(1, block(1, b"t") + fields[field]
                + block(9, block(1, block(1, b"scalars") + block(2, content)))))
            )
            for step, (field, content) in enumerate(order)
        )  # fmt: skip

    for order in ([(0, b"a"), (1, b"b")] * 20, [(0, b"a")] * 9 + [(1, b"b")] * 9 + [(0, b"a")] * 9):
        for end in (len(order), len(order) - 1, len(order) - 9):
            data = records(order[:end])
            last = order[end - 1][1]
            assert check(data, [len(data)])["metadata"]["t"].last_content == last


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


def located(blocks: list[Block]) -> dict[str, list[bool]]:
    """Whether there are locators, in each of the columns of each tag."""
    found = defaultdict(list)
    for each in blocks:
        for tag in each.tags:
            found[tag].append(each.columns.places is not None)
    return dict(found)


@pytest.mark.parametrize("make", BOTH)
def test_numbers_that_are_taken_as_such_need_no_locators(make: MakeScanner) -> None:
    """The first metadata of a tag decides; other tensors and numbers of other plugins keep their locators."""
    ours = number_events(b"ours", [b"scalars", b"", b"text"], ONE_NUMBER)
    theirs = number_events(b"theirs", [b"text", b"scalars", b""], ONE_NUMBER)
    nobodys = number_events(b"nobody's", [b"", b""], ONE_NUMBER)
    mixed = number_events(b"mixed", [b"scalars"], ONE_NUMBER)
    mixed += number_events(b"mixed", [b"scalars"], ONE_TEXT) + mixed
    data = b"".join(ours + theirs + nobodys + mixed)
    with opened(data) as descriptor:
        blocks = make(Dialect.TENSORBOARD, CHUNK, SCALARS).scan(descriptor, 0, len(data)).blocks
    assert located(blocks) == {
        "ours": [False],
        "theirs": [True],
        "nobody's": [True],
        "mixed": [False, True, False],
    }
    assert all(c.columns.values is not None or c.columns.places is not None for c in blocks)


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
    assert [located(batch.blocks) for batch in scans] == [
        {"early": [False]},
        {"early": [False]},
        {"late": [True]},
    ]
    assert located(elsewhere.blocks) == {"early": [True], "late": [True]}


def test_a_tag_of_numbers_and_of_payloads_is_two_columns() -> None:
    """In any order: numbers and payloads of a tag form separate series."""
    simple, text = b"\x15" + struct.pack("<f", 0.5), block(8, b"\x08\x07" + block(8, b"text"))
    data = b"".join(
        wire.record(b"\x10" + varint(k) + block(5, block(1, block(1, b"t") + content)))
        for k, content in enumerate([simple, text] * 20)
    )
    for make in BOTH:
        with opened(data) as descriptor:
            found = make(Dialect.TENSORBOARD, CHUNK).scan(descriptor, 0, len(data)).blocks
        assert sorted((c.field, len(c.columns.steps)) for c in found) == [
            ("simple_value", 20),
            ("tensor", 20),
        ]


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


@pytest.mark.parametrize("chunk", [1 << 12, CHUNK])
@pytest.mark.parametrize("seed", range(8))
def test_bytes_that_come_to_zeros_are_read_by_both(seed: int, chunk: int) -> None:
    """Pages of a file arrive in any order, and scans go on where they were."""
    random = np.random.default_rng(seed)
    records = [scalar_record(step) for step in range(1, 400)]
    whole = np.frombuffer(b"".join(records), np.uint8)
    page = 512
    twin, kernel = (Reading(make(Dialect.TENSORBOARD, chunk)) for make in BOTH)
    with opened(bytes(len(whole))) as descriptor:
        for start in random.permutation(np.arange(0, len(whole), page)).tolist():
            os.pwrite(descriptor, whole[start : start + page].tobytes(), start)
            if random.random() < 0.5:
                twin.follow(descriptor, len(whole))
                kernel.follow(descriptor, len(whole))
                assert kernel.result() == twin.result()
    assert kernel.points["loss", "simple_value"]
