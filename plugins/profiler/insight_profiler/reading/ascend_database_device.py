"""Reads the work of devices from the databases of Ascend profilers.

``TASK`` has all of it. What computes is described in COMPUTE_TASK_INFO, the parts of communication in
COMMUNICATION_TASK_INFO, and its whole in COMMUNICATION_OP.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from insight_profiler.model import Category, Device
from insight_profiler.reading.ascend_events import task_category
from insight_profiler.reading.ascend_kernels import KERNEL_TEXTS, add_kernel_runs
from insight_profiler.reading.csv_columns import Integers
from insight_profiler.reading.database_rows import (
    DatabaseTracks,
    joined,
    mapped,
    numbered,
    taken,
    timed,
)
from insight_profiler.reading.sqlite_tables import Columns, Tables, TextsById, integers, texts

_SPAN = {"start": integers("startNs"), "end": integers("endNs")}
_TASK = {
    **_SPAN,
    "device": integers("deviceId"),
    "connection": integers("connectionId"),
    "task": integers("globalTaskId"),
    "type": integers("taskType"),
    "stream": integers("streamId"),
}
_INFORMATION = {  # by the texts of kernels
    "name": integers("name"),
    "type": integers("opType"),
    "core": integers("taskType"),
    "shapes": integers("inputShapes"),
    "input_types": integers("inputDataTypes"),
    "input_formats": integers("inputFormats"),
    "output_shapes": integers("outputShapes"),
    "output_types": integers("outputDataTypes"),
    "output_formats": integers("outputFormats"),
}
_BLOCK = integers("blockNum", "blockDim", "block_dim")
_PART = {
    "task": integers("globalTaskId"),
    "name": integers("name"),
    "plane": integers("planeId"),
}
_COMMUNICATION = {
    **_SPAN,
    "name": integers("opName"),
    "type": integers("opType"),
    "group": integers("groupName"),
    "connection": integers("connectionId"),
    "device": integers("deviceId"),
    "data_type": integers("dataType"),
    "count": integers("count"),
}
_NO_TEXT = "N/A"
_NO_CONNECTION = 0xFFFFFFFF
# bytes by ENUM_HCCL_DATA_TYPE
_WIDTHS = {0: 1, 1: 2, 2: 4, 3: 2, 4: 4, 5: 8, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 2, 12: 16}
_TRANSFERS = ("send", "receive", "batchsendrecv")
_HARDWARE, _LAYER = "Ascend Hardware", "Communication"


class DeviceTables:
    """Adds the work of devices. ``launched`` has the rows of slices and what connects them with the host;
    ``device`` is that of the rank: a database of msprof may have several."""

    def __init__(self, tables: Tables, text: TextsById, tracks: DatabaseTracks, device: int) -> None:
        self.texts = text
        self.launched: list[tuple[Integers, Integers]] = []
        self._tables = tables
        self._tracks = tracks
        self._building = tracks.building
        self._device = device
        self._devices: dict[int, int] = {}
        chips = tables.table("NPU_INFO", {"id": integers("id"), "name": texts("name")})
        self._models = dict(zip(chips["id"].tolist(), chips["name"], strict=True))

    def read(self) -> None:
        """Reads tasks and communication."""
        self._read_tasks()
        has_analysis = any(name.endswith("analysis.db") for name in self._tables.others)
        self._read_communication(adds_collectives=not has_analysis)

    def devices_of(self, numbers: Integers) -> Integers:
        """The building's devices; the first number, and one that is not known, is that of the rank."""
        return mapped(numbers, self._device_of)

    def _device_of(self, number: int) -> int:
        if number < 0:
            return self._device
        if number not in self._devices:
            facts = {"model": self._models[number]} if self._models.get(number) else {}
            if self._devices:
                self._devices[number] = self._building.device(Device(f"NPU {number}", "npu", facts))
            else:
                known = self._building.devices[self._device]
                named = Device(known.name, known.kind, {**known.facts, **facts})
                self._building.devices[self._device] = named
                self._devices[number] = self._device
        return self._devices[number]

    def _places(self, numbers: Integers) -> Integers:
        text = self._building.text
        return self.texts.mapped(numbers, lambda value: text("" if value == _NO_TEXT else value))

    def _read_tasks(self) -> None:
        tasks = timed(self._tables.table("TASK", _TASK))
        count = len(tasks["start"])
        if not count:
            return
        device = self.devices_of(tasks["device"])
        declared = {"task": integers("globalTaskId"), "block": _BLOCK, **_INFORMATION}
        information = self._tables.table("COMPUTE_TASK_INFO", declared)
        computes, found = joined(tasks["task"], information["task"])
        parts = self._tables.table("COMMUNICATION_TASK_INFO", _PART)
        is_part, part = joined(tasks["task"], parts["task"])
        names = np.where(is_part, taken(parts["name"], part), tasks["type"])
        shown = self._places(names)
        category = self.texts.mapped(names, task_category)
        if "COMPUTE_TASK_INFO" in self._tables:  # what it does not describe computes nothing
            category[category == Category.KERNEL] = Category.OTHER
        category[computes] = Category.KERNEL
        operator, kernel = np.full(count, -1), np.full(count, -1)
        if computes.any():
            rows = found[computes]
            columns = {name: self._places(information[name][rows]) for name in _INFORMATION}
            columns["block"] = numbered(self._building, information["block"][rows])
            columns["stream"] = numbered(self._building, tasks["stream"][computes])
            columns |= {"start": tasks["start"][computes], "device": device[computes]}
            columns["duration"] = (tasks["end"] - tasks["start"])[computes]
            runs = add_kernel_runs(self._building, columns)
            operator[computes], kernel[computes] = runs.operator, runs.kernel
            shown[computes] = runs.name
        tracks = self._tracks.of_numbers(
            _HARDWARE, lambda number: f"Stream {number}", "stream", tasks["stream"], device
        )
        self._add(tasks, tracks, shown, category, operator, kernel)
        if is_part.any():
            self._add_parts(tasks, device, parts, is_part, part[is_part])

    def _add(
        self,
        work: Columns,
        tracks: Integers,
        name: Integers,
        category: Integers,
        operator: Integers,
        kernel: Integers,
    ) -> None:
        first = self._building.add(
            "slices",
            track=tracks,
            start=work["start"],
            duration=work["end"] - work["start"],
            name=name,
            category=category,
            operator=operator,
            kernel=kernel,
        )
        is_known = work["connection"] != _NO_CONNECTION
        self.launched.append((first + np.arange(len(tracks)), np.where(is_known, work["connection"], -1)))

    def _add_parts(
        self, tasks: Columns, device: Integers, parts: Columns, is_part: NDArray[np.bool_], part: Integers
    ) -> None:
        """The layer in which communication is shown by the planes that it goes over."""
        tracks = self._tracks.of_numbers(
            _LAYER, lambda number: f"Plane {number}", "communication", parts["plane"][part], device[is_part]
        )
        self._building.add(
            "slices",
            track=tracks,
            start=tasks["start"][is_part],
            duration=(tasks["end"] - tasks["start"])[is_part],
            name=self._places(parts["name"][part]),
            category=np.full(len(tracks), Category.COMMUNICATION),
        )

    def _read_communication(self, *, adds_collectives: bool) -> None:
        work = timed(self._tables.table("COMMUNICATION_OP", _COMMUNICATION))
        count = len(work["start"])
        if not count:
            return
        building = self._building
        device = self.devices_of(work["device"])  # not known before version 1.2.0
        name, duration = self._places(work["name"]), work["end"] - work["start"]
        columns: dict[str, Integers] = {column: np.full(count, -1) for column in KERNEL_TEXTS}
        columns |= {"name": name, "type": self._places(work["type"]), "device": device}
        columns["core"] = np.full(count, building.text("COMMUNICATION"))
        columns |= {"start": work["start"], "duration": duration}
        runs = add_kernel_runs(building, columns)
        groups = {number: place for place, number in enumerate(np.unique(work["group"]).tolist())}
        tracks = self._tracks.of_numbers(
            _LAYER,
            lambda number: f"Group {number} Communication",
            "communication",
            mapped(work["group"], groups.__getitem__),
            device,
        )
        category = np.full(count, Category.COMMUNICATION)
        self._add(work, tracks, runs.name.astype(np.int64), category, runs.operator, runs.kernel)
        if not adds_collectives:
            return
        kinds = np.array([building.text("collective"), building.text("p2p")])
        widths = mapped(work["data_type"], lambda number: _WIDTHS.get(number, 0))
        is_known = (widths > 0) & (work["count"] >= 0)
        building.add(
            "collectives",
            name=name,
            kind=kinds[self.texts.mapped(work["name"], _is_transfer)],
            start=work["start"],
            elapsed=duration,
            bytes=np.where(is_known, work["count"] * widths.astype(np.float64), np.nan),
        )


def _is_transfer(name: str) -> int:
    return int(name.lower().removeprefix("hcom_").startswith(_TRANSFERS))
