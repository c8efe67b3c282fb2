"""The facts of a profile that rules share, each computed at most once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from insight_core.plugin import Reason
from insight_core.plugin.findings import NotChecked
from insight_profiler.advice.findings import EvidencePlace
from insight_profiler.advice.job_evidence import JobEvidence
from insight_profiler.advice.kernel_names import are
from insight_profiler.advice.replay import Replay, path_times
from insight_profiler.advice.words import milliseconds, said, said_for
from insight_profiler.analysis.outliers import warm_up
from insight_profiler.analysis.spans import Spans, covered, gaps, length, merged, within
from insight_profiler.analysis.steps import of_rows
from insight_profiler.derived.operators import on_device
from insight_profiler.model import Category, Device, FlowKind, Profile, Side, Table

Rows = NDArray[np.intp]
_START_UP = 100_000_000  # ns of a call that does not only launch work


@define(eq=False, slots=False)
class Evidence:
    """Steps that count (all but warm-up), the work of devices in them, and how they depend on each other."""

    profile: Profile
    job: JobEvidence = field(factory=JobEvidence)
    run: str = ""
    name: str = ""  # of the profile: its path within the run

    @cached_property
    def steps(self) -> Table | None:
        """The steps without warm-up; None where the profile has none."""
        table = self.profile.tables.get("steps")
        if table is None or not len(table["number"]):
            return None
        return of_rows(table, self.step_rows)

    @cached_property
    def step_rows(self) -> Rows:
        """Rows in the step table of the steps that count."""
        table = self.profile.tables["steps"]
        first = warm_up(table["duration"])
        return np.arange(first, len(table["number"]))

    @cached_property
    def slices(self) -> Table:
        """All slices. Raises NotChecked if the profile has only sums."""
        table = self.profile.tables.get("slices")
        if table is None or not len(table["start"]):
            raise NotChecked(said("needs_timeline"))
        return table

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """int64[slices]: when each slice ends, ns."""
        return np.asarray(self.slices["start"] + self.slices["duration"])

    @cached_property
    def windows(self) -> Spans:
        """When the steps that count ran; all of the profile without steps."""
        steps = self.steps
        if steps is not None:
            known = (steps["start"] >= 0) & (steps["duration"] > 0)
            if known.any():
                begins = steps["start"][known].astype(np.int64)
                return merged(begins, begins + steps["duration"][known])
        return np.zeros(1, np.int64), np.array([self.profile.duration_ns], np.int64)

    @cached_property
    def counted(self) -> int:
        """How many steps count; 1 for a profile without steps."""
        return 1 if self.steps is None else max(1, len(self.steps["number"]))

    @cached_property
    def whole(self) -> int:
        """How long the steps that count take, ns."""
        return max(1, length(self.windows))

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """bool[slices]: whether a slice belongs to the steps that count."""
        if self.steps is None:
            return np.ones(len(self.slices["start"]), bool)
        return np.isin(self.slices["step"], self.step_rows)

    @cached_property
    def is_work(self) -> NDArray[np.bool_]:
        """bool[slices]: the work of a device, communication too."""
        slices = self.slices
        kinds = ("stream", "communication")  # of NCCL; the planes of HCCL
        tracks = np.array([track.kind in kinds for track in self.profile.tracks] or [False])
        communicates = (slices["category"] == Category.COMMUNICATION) & tracks[slices["track"]]
        return np.asarray(on_device(slices["category"]) | communicates)

    @cached_property
    def all_work(self) -> Rows:
        """Rows of the work of devices, by start."""
        rows = np.flatnonzero(self.is_work)
        return rows[np.argsort(self.slices["start"][rows], kind="stable")]

    @cached_property
    def work(self) -> Rows:
        """Rows of the work of devices that the steps that count launched, by start.

        Raises NotChecked without one.
        """
        rows = self.all_work[self.inside[self.all_work]]
        if not len(rows):
            raise NotChecked(said("needs_device"))
        if self.is_mostly_start_up:
            raise NotChecked(said("only_start_up"))
        return rows

    @cached_property
    def start_up(self) -> Rows:
        """Rows of long calls of the runtime during which no device works, of a profile without steps: they
        create the context, load libraries and make the first allocations."""
        if self.steps is not None:
            return np.zeros(0, np.intp)
        long = (self.slices["category"] == Category.RUNTIME) & (self.slices["duration"] > _START_UP)
        rows = np.flatnonzero(long)
        busy = merged(self.slices["start"][self.all_work].astype(np.int64), self.ends[self.all_work])
        worked = covered(busy, self.slices["start"][rows].astype(np.int64), self.ends[rows])
        return rows[worked < self.slices["duration"][rows] // 10]

    @cached_property
    def is_mostly_start_up(self) -> bool:
        """Whether more than half of a profile without steps is its start."""
        return bool(len(self.start_up)) and length(self.spans(self.start_up)) > self.whole // 2

    @cached_property
    def launchers(self) -> NDArray[np.int64]:
        """int64[slices]: the row of the call that launched each work of a device, or -1."""
        found = np.full(len(self.slices["start"]), -1, np.int64)
        flows = self.profile.tables.get("flows")
        if flows is None:
            return found
        source, target = flows["source"], flows["target"]
        launch = (flows["kind"] == FlowKind.LAUNCH) & self.is_work[target] & ~self.is_work[source]
        order = np.argsort(self.slices["category"][source[launch]] == Category.RUNTIME, kind="stable")
        found[target[launch][order]] = source[launch][order]  # calls of the runtime come last, so they count
        return found

    @property
    def is_work_known(self) -> bool:
        """Whether the profile has work of a device with times."""
        if "slices" not in self.profile.tables:
            return False
        return bool(self.is_work.any())

    def of(self, *categories: Category) -> Rows:
        """Rows of the work of devices of some categories, by start."""
        return self.work[np.isin(self.slices["category"][self.work], categories)]

    def spans(self, rows: Rows) -> Spans:
        """When at least one of some slices goes on, within the steps that count."""
        return within(merged(self.slices["start"][rows].astype(np.int64), self.ends[rows]), self.windows)

    @cached_property
    def busy(self) -> Spans:
        """When a device works, during the steps that count."""
        return self.spans(self.all_work)

    @cached_property
    def idle(self) -> Spans:
        """When no device works, within the steps that count."""
        return gaps(self.busy, self.windows)

    @cached_property
    def idle_share(self) -> float:
        """The share of the time of steps in which no device works."""
        return length(self.idle) / self.whole

    @cached_property
    def late(self) -> int:
        """How long devices were idle because the host had not launched the next work, ns: of each idle
        stretch the part before the launch of the work that ends it."""
        starts, ends = self.idle
        if not len(work := self.all_work):
            raise NotChecked(said("needs_device"))
        first = np.searchsorted(self.slices["start"][work], ends, "left")
        known = first < len(work)
        row = work[np.minimum(first, len(work) - 1)]
        launch = self.launchers[row]
        known &= launch >= 0
        begun = self.slices["start"][np.maximum(launch, 0)]
        return int(np.where(known, np.clip(begun - starts, 0, ends - starts), 0).sum())

    def exposed(self, rows: Rows) -> int:
        """How long some work goes on while no kernel computes, ns."""
        spans = self.spans(rows)
        return length(spans) - int(covered(self.computing, *spans).sum())

    @cached_property
    def computing(self) -> Spans:
        """When a device computes, during the steps that count."""
        return self.spans(self.all_work[self.slices["category"][self.all_work] == Category.KERNEL])

    def time(self, rows: Rows) -> int:
        """The sum of the durations, ns."""
        return int(self.slices["duration"][rows].sum())

    def named(self, kind: Callable[[str], bool], rows: Rows) -> Rows:
        """Those of some slices whose names are of a kind."""
        return rows[are(kind, self.profile.texts, self.slices["name"][rows])]

    def operator_of(self, rows: Rows) -> NDArray[np.int32]:
        """int32[rows]: the operator that launched each work of a device, a row of the operators, or -1."""
        kernels = self.profile.tables.get("kernels")
        kernel = self.slices["kernel"][rows]
        if kernels is None:
            return np.full(len(rows), -1, np.int32)
        return np.where(kernel >= 0, kernels["operator"][np.maximum(kernel, 0)], -1).astype(np.int32)

    @cached_property
    def compute(self) -> Rows:
        """Kernels that compute, communication not among them."""
        return self.of(Category.KERNEL)

    @cached_property
    def communication(self) -> Rows:
        """Communication on devices."""
        return self.of(Category.COMMUNICATION)

    @cached_property
    def device(self) -> Device | None:
        """The device that does most of the work, where its properties are known."""
        kinds = [device for device in self.profile.devices if device.kind != "cpu"]
        return kinds[0] if kinds else None

    @cached_property
    def replay(self) -> Replay | None:
        """Some of the steps that count, to be replayed; None where nothing can be."""
        if not self.is_work_known:
            return None
        return Replay.of(self)

    @cached_property
    def path(self) -> Mapping[str, int]:
        """What the critical path of a step consists of (ns), by ``path_times``; empty without ``replay``."""
        return {} if self.replay is None else path_times(self.replay, self)

    @cached_property
    def host_share(self) -> float:
        """The share of the critical path that the host takes."""
        host = sum(self.path.get(part, 0) for part in ("host", "runtime", "data"))
        return host / max(1, sum(self.path.values()))

    # --- places -----------------------------------------------------------------------------------

    def text(self, place: int) -> str:
        """A text of the profile; "" for -1."""
        return self.profile.texts[place] if place >= 0 else ""

    def range_place(self, start: int, end: int) -> EvidencePlace:
        """A range of the timeline (ns), called by its length."""
        state = {"window": f"{start}~{max(end, start + 1)}"}
        return EvidencePlace("range", "timeline", f"{milliseconds(end - start):g} ms", state)

    def slice_place(self, row: int) -> EvidencePlace:
        """A slice on the timeline, with some room around it."""
        start, end = int(self.slices["start"][row]), int(self.ends[row])
        room = max(end - start, 1000)
        state = {"window": f"{max(0, start - room)}~{end + room}", "slice": str(row)}
        return EvidencePlace("range", "timeline", self.text(int(self.slices["name"][row])), state)

    def step_place(self, number: int) -> EvidencePlace:
        """A step by its number."""
        return EvidencePlace("step", "steps", str(number), {"steps": str(number)})

    def kernel_place(self, name: str) -> EvidencePlace:
        """The kernels of a name."""
        return EvidencePlace("kernel", "kernels", name, {"group": "name", "kernels-q": name})

    def operator_place(self, operator: int, side: Side = Side.HOST) -> EvidencePlace | None:
        """An operator, by its row in the table of operators."""
        table = self.profile.tables.get("operators")
        if table is None or operator < 0:
            return None
        name = self.text(int(table["name"][operator]))
        state = {"by": "name", "side": side.name.lower(), "q": name}
        return EvidencePlace("operator", "operators", name, state)

    def biggest_name(self, rows: Rows) -> str:
        """The name on which some slices spend most of their time; "" for none."""
        sums = np.bincount(
            self.slices["name"][rows] + 1, self.slices["duration"][rows], len(self.profile.texts) + 1
        )
        return self.text(int(np.argmax(sums)) - 1) if len(rows) else ""

    def biggest_operator(self, operators: NDArray[np.int32], weights: NDArray[np.int64]) -> int:
        """The operator with the largest sum of weights, or -1."""
        known = operators >= 0
        if not known.any():
            return -1
        return int(np.argmax(np.bincount(operators[known], weights[known])))

    def change(self, code: str) -> Reason:
        """The text of what to change, with the options of the framework that wrote the profile."""
        return said_for(self.profile.source, code)

    def facts(self) -> Mapping[str, object]:
        """Facts of the device."""
        return self.device.facts if self.device is not None else {}
