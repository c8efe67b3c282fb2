"""Reads TensorFlow's and JAX's ``*.xplane.pb``: planes (host, devices) of lines (threads, streams) of
events.

An event names its kind by the metadata of its plane, begins at ``timestamp_ns`` of its line plus
``offset_ps``, and has stats. Times that do not count from the epoch count from ``profile_start_time`` of
the plane "Task Environment". Operators of TensorFlow are events named ``scope/name:Type``; those of XLA are
the line "XLA Ops" of a device, with category, operations and bytes; kernels are the lines "Stream #n". What
XLA's own tools compute of the programs (memory, roofline) is not in here.

Tried on files of TensorFlow on a CPU only: what is read of devices follows xprof's documentation.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict, define, field, frozen

from insight_core.plugin.lab import Malformed
from insight_core.plugin.payloads import LENGTH_DELIMITED, MessageTypes, fields
from insight_profiler.analysis.kernel_schemes import is_collective
from insight_profiler.building import Building, Unreadable
from insight_profiler.files import Files
from insight_profiler.model import Category, Device, Side, StepOrigin, Track
from insight_profiler.reading.trace_kinds import ANNOTATION_LINES

MESSAGES = MessageTypes(Path(__file__).with_name("xplane.binpb"))
_LARGEST = 1 << 62  # ns, of a time: sums of two fit into an int64
_EPOCH = 10**17  # ns; what is smaller counts from the beginning of the profile
_MOST = 1 << 30  # bytes of a file: all of it is in memory, and its messages take several times as much
_PLANES, _HOSTNAMES = 1, 4  # fields of the file
_DEVICE = re.compile(r"/device:(?P<name>(?P<kind>[A-Za-z]+)[^ ]*)")
_OPERATOR = re.compile(r"(?P<name>[A-Za-z0-9.][A-Za-z0-9_.\-/>]*):(?P<type>[A-Za-z_][A-Za-z0-9_]*)")
_XLA = ("XLA Ops", "Async XLA Ops")
_COLLECTIVE = re.compile(r"collective|\b(send|recv)\b", re.IGNORECASE)  # XLA's operators
_SAID = re.compile(r"(\w+):([\d,.]+)")


@frozen
class _Kind:
    """Places of name, type and scope of an event, and its category."""

    name: int
    type: int
    scope: int
    category: int


@define(eq=False)
class _Columns:
    """Slices of a line, column by column."""

    start: list[int] = field(factory=list)
    duration: list[int] = field(factory=list)
    name: list[int] = field(factory=list)
    category: list[int] = field(factory=list)
    type: list[int] = field(factory=list)
    scope: list[int] = field(factory=list)
    shapes: list[int] = field(factory=list)
    operator: list[int] = field(factory=list)
    kernel: list[int] = field(factory=list)
    correlation: list[int] = field(factory=list)
    marker: list[int] = field(factory=list)


def read(files: Files, building: Building) -> None:
    """Raises Unreadable for other files."""
    building.note(
        "experimental",
        "XPlane files are read as far as they are known: times, operators and steps",
        format="xplane",
    )
    planes: list[Any] = []
    for name in sorted(files.names()):
        with files.open(name) as stream:
            data = stream.read(_MOST)  # what is beyond shows as a cut end
        try:
            for number, kind, start, end, _ in fields(data):
                if number == _PLANES and kind == LENGTH_DELIMITED:
                    planes.append(MESSAGES.parse("Plane", data[start:end]))
                elif number == _HOSTNAMES and kind == LENGTH_DELIMITED:
                    building.host = building.host or data[start:end].decode("utf-8", "replace")
        except (Malformed, ValueError) as error:
            if not planes:
                raise Unreadable("no_xplane", f"{name} is not an XPlane file: {error}", file=name) from None
            building.note("truncated", f"{name} is cut or damaged: {error}", file=name, reason=str(error))
    if not planes:
        raise Unreadable("no_xplane", "the file holds no planes", files=sorted(files.names()))
    begin = _begin(planes)
    readers = [_Plane(building, plane, begin) for plane in planes if len(plane.lines)]
    for reader in readers:
        reader.read()
    _add_steps(building, readers)
    building.platform = next((device.kind for device in building.devices if device.kind != "cpu"), "cpu")


def _begin(planes: list[Any]) -> int:
    for plane in planes:
        if plane.name == b"Task Environment":
            names = {entry.key: entry.value.name for entry in plane.stat_metadata}
            for stat in plane.stats:
                if names.get(stat.metadata_id) == b"profile_start_time":
                    return int(stat.uint64_value or stat.int64_value)
    return 0


class _Plane:
    def __init__(self, building: Building, plane: Any, begin: int) -> None:  # noqa: ANN401  a message
        self.building = building
        self.plane = plane
        self.begin = begin
        self.name = _decoded(plane.name)
        self.stat_names = {entry.key: _decoded(entry.value.name) for entry in plane.stat_metadata}
        self.metadata = {entry.key: entry.value for entry in plane.event_metadata}
        self.steps: dict[int, tuple[int, int]] = {}  # number -> start, duration
        self.marks_steps = False  # by a line of its own
        self._kinds: dict[int, _Kind] = {}
        self._operators: dict[int, int] = {}
        self._kernels: dict[tuple[int, str], int] = {}
        self._left = 0
        self._out_of_range = 0
        device = _DEVICE.match(self.name)
        self.is_device = device is not None
        kind = device["kind"].lower() if device else "cpu"
        self.device = -1
        if device or self.name.startswith("/host:CPU"):
            self.device = building.device(
                Device(device["name"] if device else "CPU", kind, self._stats(plane.stats))
            )

    def read(self) -> None:
        process = self.building.track(Track("process", self.name, device=self.device))
        if self.is_device:
            self._add_operators([line for line in self.plane.lines if _label(line) in _XLA])
        for place, line in enumerate(self.plane.lines):
            self._line(line, process, place)
        if self._left:
            self.building.note(
                "events_without_time",
                f"{self._left} events of {self.name} are sums without times and are left out",
                plane=self.name,
                count=self._left,
            )
        if self._out_of_range:
            self.building.note(
                "times_out_of_range",
                f"{self._out_of_range} events of {self.name} have times out of range and are left out",
                plane=self.name,
                count=self._out_of_range,
            )

    def _line(self, line: Any, process: int, place: int) -> None:  # noqa: ANN401
        label = _label(line)
        is_stream = self.is_device and label.startswith("Stream")
        is_operators = self.is_device and label in _XLA
        is_steps = self.is_device and label == "Steps"
        is_annotation = self.is_device and label in ANNOTATION_LINES
        zero = int(line.timestamp_ns)
        if zero < _EPOCH:
            zero += self.begin
        columns = _Columns()
        for event in line.events:
            if event.HasField("num_occurrences"):
                self._left += 1
                continue
            offset = int(event.offset_ps)
            start = offset // 1000
            duration = (
                offset + int(event.duration_ps)
            ) // 1000 - start  # rounded so that what nests goes on nesting
            if abs(zero + start) >= _LARGEST or not 0 <= duration < _LARGEST:
                self._out_of_range += 1
                continue
            kind = self._described(event.metadata_id, label)
            stats = self._stats(event.stats) if len(event.stats) else {}
            columns.start.append(zero + start)
            columns.duration.append(duration)
            columns.name.append(kind.name)
            columns.type.append(kind.type)
            columns.scope.append(kind.scope)
            columns.correlation.append(_integer(stats.get("correlation_id"), -1))
            columns.shapes.append(self.building.text(str(stats.get("tensor_shapes", ""))))
            columns.marker.append(0)
            columns.operator.append(self._operators[event.metadata_id] if is_operators else -1)
            columns.kernel.append(self._kernel(event.metadata_id, label, stats) if is_stream else -1)
            if self.is_device and not (is_operators or is_stream):
                columns.category.append(Category.OTHER)
            else:
                columns.category.append(
                    Category.RUNTIME if "correlation_id" in stats and not is_stream else kind.category
                )
            if is_steps or (not self.is_device and "step_num" in stats):
                columns.marker[-1] = 1
                self._step(stats, zero + start, duration, is_steps)
        kind_of_track = "scope" if is_annotation else "stream" if self.is_device else "thread"
        track = self.building.track(Track(kind_of_track, label, process, self.device, place))
        if columns.start:
            values = asdict(columns, recurse=False)
            self.building.add("slices", track=np.full(len(columns.start), track), **values)

    def _step(self, stats: Mapping[str, Any], start: int, duration: int, is_line: bool) -> None:
        """A step by its number: all that bears it, or what the line of steps says."""
        number = _integer(stats.get("step_num", stats.get("group_id")), len(self.steps))
        self.marks_steps |= is_line
        known = self.steps.get(number)
        if known:
            end = max(start + duration, known[0] + known[1])
            start = min(start, known[0])
            duration = end - start
        self.steps[number] = start, duration

    def _described(self, key: int, line: str) -> _Kind:
        """Of events of a kind."""
        if key not in self._kinds:
            full, shown = self._names(key)
            operator = None if full.startswith("Iterator") else _OPERATOR.fullmatch(full)
            text = self.building.text
            if self.is_device:
                self._kinds[key] = _Kind(text(shown or full), -1, -1, _work(shown or full))
            elif operator is not None and shown in ("", operator["type"]):
                scope, _, name = operator["name"].rpartition("/")
                self._kinds[key] = _Kind(text(name), text(operator["type"]), text(scope), Category.OPERATOR)
            else:
                is_data = full.startswith("Iterator") or line.startswith("tf_data")
                self._kinds[key] = _Kind(text(full), -1, -1, Category.DATA if is_data else Category.OTHER)
        return self._kinds[key]

    def _names(self, key: int) -> tuple[str, str]:
        """Full name and the one to be shown, which may be empty."""
        metadata = self.metadata.get(key)
        if metadata is None:
            return f"event {key}", ""
        return _decoded(metadata.name), _decoded(metadata.display_name)

    def _add_operators(self, lines: list[Any]) -> None:
        """Operators of XLA; their calls are summed from slices."""
        counts = Counter(event.metadata_id for line in lines for event in line.events)
        for key, calls in counts.items():
            full, shown = self._names(key)
            stats = self._stats(self.metadata[key].stats) if key in self.metadata else {}
            name = shown or full
            text = self.building.text
            flops, size = (
                float(stats[label]) * calls if isinstance(stats.get(label), (int, float)) else np.nan
                for label in ("flops", "bytes_accessed")
            )
            self._operators[key] = self.building.add(
                "operators",
                name=[text(name)],
                type=[text(str(stats.get("hlo_category") or name.partition(".")[0]))],
                scope=[text(str(stats.get("tf_op", "")).rpartition("/")[0])],
                information=[text(json.dumps({"hlo": full, "bytes_accessed": size}) if full != name else "")],
                side=[Side.DEVICE],
                device=[self.device],
                flops=[flops],
                traffic=[size],
            )

    def _kernel(self, key: int, stream: str, stats: Mapping[str, Any]) -> int:
        details = str(stats.get("kernel_details", ""))
        if (key, stream + details) not in self._kernels:
            said = dict(_SAID.findall(details))
            shared = [name for name in ("static_shared", "dynamic_shared") if name in said]
            text = self.building.text
            self._kernels[key, stream + details] = self.building.add(
                "kernels",
                name=[text(self._names(key)[0])],
                device=[self.device],
                stream=[text(stream)],
                grid=[text(said.get("grid", "").replace(",", " x "))],
                block=[text(said.get("block", "").replace(",", " x "))],
                registers=[_integer(said.get("regs"), -1)],
                shared_memory=[sum(_integer(said[name], 0) for name in shared) if shared else -1],
                occupancy=[_number(said.get("occ_pct"))],
            )
        return self._kernels[key, stream + details]

    def _stats(self, stats: Any) -> dict[str, Any]:  # noqa: ANN401  repeated messages
        found: dict[str, Any] = {}
        for stat in stats:
            name = self.stat_names.get(stat.metadata_id, "")
            if stat.HasField("ref_value"):
                found[name] = self.stat_names.get(stat.ref_value, "")
            elif stat.HasField("str_value"):
                found[name] = _decoded(stat.str_value)
            else:
                found[name] = next(
                    (
                        getattr(stat, kind)
                        for kind in ("int64_value", "uint64_value", "double_value")
                        if stat.HasField(kind)
                    ),
                    None,
                )
        return found


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _label(line: Any) -> str:  # noqa: ANN401  a message
    return _decoded(line.display_name or line.name) or f"line {line.id}"


def _integer(value: object, missing: int) -> int:
    try:
        return int(value)  # type: ignore[call-overload,no-any-return]
    except (OverflowError, TypeError, ValueError):
        return missing


def _number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return np.nan


def _work(name: str) -> Category:
    """What a device does, by the name of it."""
    if is_collective(name) or _COLLECTIVE.search(name):
        return Category.COMMUNICATION
    lower = name.lower()
    if lower.startswith(("memcpy", "copy-start", "copy-done")):
        return Category.MEMCPY
    return Category.MEMSET if lower.startswith("memset") else Category.KERNEL


def _add_steps(building: Building, planes: list[_Plane]) -> None:
    """Those of the line of steps of the first device, or else those that the host numbers."""
    chosen = next((plane for plane in planes if plane.marks_steps), None) or next(
        (plane for plane in planes if plane.steps), None
    )
    if chosen is None:
        return
    numbers = sorted(chosen.steps)
    building.add(
        "steps",
        number=numbers,
        start=[chosen.steps[number][0] for number in numbers],
        duration=[chosen.steps[number][1] for number in numbers],
    )
    building.step_origin = StepOrigin.RECORDED
