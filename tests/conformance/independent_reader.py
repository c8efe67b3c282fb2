"""Which values event files hold, read with nothing of ours: record after record, field after field."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

Steps: TypeAlias = dict[str, dict[str, dict[str, list[int]]]]  # run, kind, tag: the step of each value

_MINDSPORE = {4: "image", 8: "tensor", 9: "histogram"}
_TENSORBOARD = {4: "image", 5: "histogram", 8: "tensor"}
_PLUGINS = {"images": "image", "histograms": "histogram"}
_NUMBERS = ("scalars", "hparams")  # plugins whose tensors hold numbers, or are empty


def steps_of(logdir: Path) -> Steps:
    """In the order of the files, and in each of its records."""
    found: Steps = {}
    names: dict[tuple[str, str], str] = {}  # the plugin that the first value of a tag names
    files = [path for path in logdir.rglob("*") if path.is_file() and re.search(r"tfevents|_MS$", path.name)]
    for path in sorted(files, key=lambda path: (path.parent, path.name)):
        run = path.parent.relative_to(logdir).as_posix()
        for step, value in _values(path.read_bytes()):
            fields = dict(value)
            tag = bytes(fields[1]).decode()
            if path.name.endswith("_MS"):
                kinds = [kind for field, kind in _MINDSPORE.items() if field in fields]
            else:
                if 9 in fields:
                    names.setdefault((run, tag), _plugin(bytes(fields[9])))
                name = names.get((run, tag), "")
                kinds = [
                    _PLUGINS.get(name, kind) if field == 8 else kind
                    for field, kind in _TENSORBOARD.items()
                    if field in fields and not (field == 8 and name in _NUMBERS)
                ]
            for kind in kinds:
                found.setdefault(run, {}).setdefault(kind, {}).setdefault(tag, []).append(step)
    return found


def _values(data: bytes) -> Iterator[tuple[int, list[tuple[int, bytes | int]]]]:
    """(step, fields) of each value of each event."""
    at = 0
    while at + 16 <= len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        step = 0
        for field, content in _fields(data[at + 12 : at + 12 + length]):
            if field == 2:
                step = int.from_bytes(int(content).to_bytes(8, "little"), "little", signed=True)
            elif field == 5:
                for number, value in _fields(bytes(content)):
                    if number == 1:
                        yield step, list(_fields(bytes(value)))
        at += length + 16


def _plugin(metadata: bytes) -> str:
    for field, content in _fields(metadata):
        if field == 1:
            return "".join(bytes(name).decode() for number, name in _fields(bytes(content)) if number == 1)
    return ""


def _fields(data: bytes) -> Iterator[tuple[int, bytes | int]]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        if key & 7 == 0:
            number, at = _varint(data, at)
            yield key >> 3, number
            continue
        length = {1: 8, 5: 4}.get(key & 7)
        if length is None:
            length, at = _varint(data, at)
        yield key >> 3, data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at
