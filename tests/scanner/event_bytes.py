"""Bytes that look like events, more or less."""

from __future__ import annotations

import struct

from hypothesis import strategies as st

from insight_authoring.testing import wire


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
sessions = st.sampled_from([b"\x08\x01", b"\x08\x01", b"\x08\x02", b"", b"\x08\x01\x08\x03", b"\x08"]).map(
    lambda log: block(7, log)
)
started = st.builds(lambda time, step, session: time + step + session, wall_times, steps, sessions)
tagged = st.builds(lambda tag, payload: block(8, block(1, tag) + block(2, payload)), tags, short)
jumbled = st.lists(
    st.one_of(
        wall_times,
        steps,
        summaries,
        sessions,
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
    started.map(wire.record),
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
