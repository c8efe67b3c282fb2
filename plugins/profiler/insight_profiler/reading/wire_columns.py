"""Decodes many protobuf messages at once, field by field, into columns of numpy.

Messages of one kind are walked side by side: a step reads the next field of each of them. What it takes grows
with the fields of the longest message, not with a Python object for each.
Source: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_profiler.wire_numbers import varint_at

Integers = NDArray[np.int64]
Bytes = NDArray[np.uint8]
PADDING = 16  # bytes behind the data: what is read at most beyond the end of a message
_MOST_FIELDS = 1 << 16  # of a message: what is behind them is not read
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_LONGEST = 1 << 40


@frozen(eq=False)
class WireField:
    """All values of one field, in the order of their messages: the place of the message, and the number as an
    int64 (of a uint64 the same bits), or where the bytes begin and end."""

    message: Integers
    value: Integers
    begin: Integers
    end: Integers

    def last(self, count: int, missing: int = -1) -> Integers:
        """int64[messages]: the last value of each message."""
        found = np.full(count, missing)
        found[self.message] = self.value
        return found

    def __len__(self) -> int:
        return len(self.message)


@define(eq=False)
class _Parts:
    message: list[Integers] = field(factory=list)
    value: list[Integers] = field(factory=list)
    begin: list[Integers] = field(factory=list)
    end: list[Integers] = field(factory=list)


def decode(
    data: Bytes, begin: Integers, end: Integers, wanted: Collection[int]
) -> tuple[dict[int, WireField], NDArray[np.bool_]]:
    """The wanted fields of messages between these places of ``data``, which has PADDING bytes behind the
    last; and bool[messages]: which are malformed. Of these there may be fields before the damage."""
    parts = {number: _Parts() for number in wanted}
    is_bad = np.zeros(len(begin), np.bool_)
    rows = np.flatnonzero(begin < end)
    at = begin[rows].copy()
    for _ in range(_MOST_FIELDS):
        if not len(rows):
            break
        stop = end[rows]
        tag, at = varints(data, at)
        kind, number = tag & 7, tag >> 3
        value = np.zeros(len(rows), np.int64)
        after = at.copy()
        for wire, read in (
            (_VARINT, varints),
            (_LENGTH, varints),
            (_FIXED64, _fixed64),
            (_FIXED32, _fixed32),
        ):
            mine = np.flatnonzero(kind == wire)
            if len(mine):
                value[mine], after[mine] = read(data, np.minimum(at[mine], stop[mine]))
        is_bytes = kind == _LENGTH
        length = np.where(is_bytes, value, 0)
        fits = (length >= 0) & (length < _LONGEST) & (after + np.clip(length, 0, _LONGEST) <= stop)
        fits &= np.isin(kind, (_VARINT, _FIXED64, _LENGTH, _FIXED32)) & (number > 0)
        is_bad[rows[~fits]] = True
        last = np.where(fits, after + length, stop)
        for own in np.unique(number).tolist():
            found = parts.get(own)
            if found is None:
                continue
            mine = np.flatnonzero(fits & (number == own))
            found.message.append(rows[mine])
            found.value.append(value[mine])
            found.begin.append(np.where(is_bytes[mine], after[mine], -1))
            found.end.append(last[mine])
        going = np.flatnonzero(last < stop)
        rows, at = rows[going], last[going]
    return {number: _joined(found) for number, found in parts.items()}, is_bad


def _joined(parts: _Parts) -> WireField:
    if not parts.message:
        nothing = np.empty(0, np.int64)
        return WireField(nothing, nothing, nothing, nothing)
    message = np.concatenate(parts.message)
    if (message[1:] >= message[:-1]).all():  # as it is where all messages have the field at the same place
        return WireField(message, *(np.concatenate(one) for one in (parts.value, parts.begin, parts.end)))
    order = np.argsort(message, kind="stable")
    value, begin, end = (np.concatenate(one)[order] for one in (parts.value, parts.begin, parts.end))
    return WireField(message[order], value, begin, end)


def varints(data: Bytes, at: Integers) -> tuple[Integers, Integers]:
    """The numbers at these places, and where they end."""
    byte = data[at]
    value = (byte & 0x7F).astype(np.int64)
    length = np.ones(len(at), np.int64)
    going = np.flatnonzero(byte >= 0x80)
    for place in range(1, 10):
        if not len(going):
            break
        byte = data[at[going] + place]
        value[going] |= (byte & 0x7F).astype(np.int64) << (7 * place)
        length[going] += 1
        going = going[byte >= 0x80]
    return value, at + length


def _fixed64(data: Bytes, at: Integers) -> tuple[Integers, Integers]:
    cells = data[at[:, None] + np.arange(8)]
    return np.ascontiguousarray(cells).view("<i8").reshape(-1).astype(np.int64), at + 8


def _fixed32(data: Bytes, at: Integers) -> tuple[Integers, Integers]:
    cells = data[at[:, None] + np.arange(4)]
    return np.ascontiguousarray(cells).view("<u4").reshape(-1).astype(np.int64), at + 4


def packed_fixed64(data: Bytes, columns: WireField) -> tuple[Integers, Integers]:
    """Messages and numbers of a repeated fixed64 field, packed or not."""
    is_packed = columns.begin >= 0
    counts = np.where(is_packed, (columns.end - columns.begin) // 8, 1)
    message = np.repeat(columns.message, counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    place = np.arange(len(message)) - first
    begin = np.repeat(columns.begin, counts)
    inside = _fixed64(data, np.maximum(begin, 0) + 8 * place)[0] if len(message) else begin
    return message, np.where(begin >= 0, inside, np.repeat(columns.value, counts))


def packed_varints(data: Bytes, columns: WireField) -> tuple[Integers, Integers]:
    """Messages and numbers of a repeated varint field, packed or not, in their order. Of a packed field that
    is damaged, what is whole."""
    is_packed = columns.begin >= 0
    length = np.where(is_packed, columns.end - columns.begin, 0)
    owner = np.repeat(np.arange(len(columns)), length)
    first = np.repeat(np.cumsum(length) - length, length)
    at = np.repeat(columns.begin, length) + np.arange(len(owner)) - first
    byte = data[at]
    ends = np.flatnonzero(byte < 0x80)
    begins = np.append(0, ends[:-1] + 1)[: len(ends)]
    fine = (ends - begins < 10) & (owner[begins] == owner[ends])
    begins, ends = begins[fine], ends[fine]
    values = varints(data, at[begins])[0] if len(begins) else begins.astype(np.int64)
    rows = np.concatenate((owner[ends], np.flatnonzero(~is_packed)))
    values = np.concatenate((values, columns.value[~is_packed]))
    order = np.argsort(rows, kind="stable")
    return columns.message[rows[order]], values[order]


def fields_of(data: bytes, wanted: Collection[int]) -> tuple[dict[int, WireField], int]:
    """The wanted fields of one long message, all of ``data``, and from where on the rest is not whole. Raises
    ValueError where no field can be."""
    found: dict[int, tuple[list[int], list[int], list[int]]] = {one: ([], [], []) for one in wanted}
    at, size = 0, len(data)
    while at < size:
        tag, begin, end = _field(data, at)
        if end > size or begin < 0:
            break
        parts = found.get(tag >> 3)
        if parts is not None:
            is_bytes = tag & 7 == _LENGTH
            is_number = tag & 7 == _VARINT
            parts[0].append(varint_at(data, at + (1 if tag < 0x80 else 2))[0] if is_number else 0)
            parts[1].append(begin if is_bytes else -1)
            parts[2].append(end)
        at = end
    fields = {}
    for one, columns in found.items():
        value, begin_of, end_of = (np.array(column, np.int64) for column in columns)
        fields[one] = WireField(np.zeros(len(value), np.int64), value, begin_of, end_of)
    return fields, at


def top_level(data: bytes, wanted: int) -> tuple[list[int], list[int], int]:
    """Where the messages of a repeated field of a stream begin and end, and from where on the rest is not
    whole. Raises ValueError where no field can be."""
    begins: list[int] = []
    ends: list[int] = []
    at, size = 0, len(data)
    tag = wanted << 3 | _LENGTH
    while at < size:
        if data[at] == tag and at + 1 < size and data[at + 1] < 0x80:  # as nearly all are
            own, begin, end = tag, at + 2, at + 2 + data[at + 1]
        else:
            own, begin, end = _field(data, at)
        if end > size or begin < 0:
            break
        if own == tag:
            begins.append(begin)
            ends.append(end)
        at = end
    return begins, ends, at


def _field(data: bytes, at: int) -> tuple[int, int, int]:
    """The tag of a field, and where its bytes begin and end; -1 where that is cut."""
    tag, at = varint_at(data, at)
    kind = tag & 7
    if at >= 0 and (kind not in (_VARINT, _FIXED64, _LENGTH, _FIXED32) or not tag >> 3):
        raise ValueError(f"a field has wire type {kind}, which there is not")
    if at < 0 or kind in (_FIXED64, _FIXED32):
        return tag, at, at + (8 if kind == _FIXED64 else 4)
    value, after = varint_at(data, at)
    return tag, after, after + (value if kind == _LENGTH else 0)
