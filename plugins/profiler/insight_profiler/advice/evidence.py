"""The facts of a profile that rules share, each computed at most once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from insight_core.plugin import Reason
from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.attention import SplitAttention, split_attention
from insight_profiler.advice.dialects import endings_of
from insight_profiler.advice.job_evidence import JobEvidence
from insight_profiler.advice.kernel_names import updates_many
from insight_profiler.advice.places import EvidencePlace
from insight_profiler.advice.profiler_cost import ProfilerCost
from insight_profiler.advice.reads import Reads, reads_of
from insight_profiler.advice.replay import HostPace, Replay, ReplayChange, path_times
from insight_profiler.advice.replay_graph import replay_of
from insight_profiler.advice.timeline_evidence import Rows, TimelineEvidence
from insight_profiler.advice.words import milliseconds, said
from insight_profiler.analysis.device_peaks import PeakRate, device_peaks
from insight_profiler.analysis.held_memory import HeldMemory
from insight_profiler.analysis.leaks import Leak, leaks
from insight_profiler.model import Device, Side

__all__ = ["MANY_UPDATES", "Evidence", "Rows"]

MANY_UPDATES = 50  # kernels of an optimiser, in a step


@define(eq=False, slots=False)
class Evidence(TimelineEvidence):
    """What rules see of a profile: its timeline, how its steps depend on each other, the ranks of its job."""

    job: JobEvidence = field(factory=JobEvidence)
    run: str = ""
    name: str = ""  # of the profile: its path within the run
    measured: float | None = None  # how long a step takes without the profiler, ns
    checked: dict[object, Sequence[Finding] | NotChecked] = field(factory=dict, init=False)  # by check
    explained: list[ReplayChange] = field(factory=list, init=False)  # what warnings propose

    @cached_property
    def device(self) -> Device | None:
        """The device that does most of the work, where its properties are known."""
        kinds = [device for device in self.profile.devices if device.kind != "cpu"]
        return kinds[0] if kinds else None

    @cached_property
    def peaks(self) -> PeakRate | None:
        """The peak rates of that device, where they are known."""
        return None if self.device is None else device_peaks(self.device)

    @cached_property
    def held(self) -> Sequence[HeldMemory]:
        """What memory each device holds when."""
        return [HeldMemory.of(self.profile, device) for device in range(len(self.profile.devices))]

    @cached_property
    def leaks(self) -> Sequence[Leak]:
        """Memory that every step takes and does not give back."""
        return leaks(self.profile)

    @cached_property
    def endings(self) -> Sequence[str]:
        """The endings of the codes of texts in the words of the profile."""
        return endings_of(self.profile)

    @cached_property
    def replay(self) -> Replay | None:
        """Some of the steps that count, to be replayed; None where nothing can be."""
        if not self.is_work_known:
            return None
        return replay_of(self)

    @cached_property
    def reads(self) -> Reads:
        """The times at which the host waits to read a value."""
        return reads_of(self, self.replay)

    @cached_property
    def split_attention(self) -> SplitAttention | None:
        """Attention that is computed as single operators."""
        return split_attention(self, self.peaks)

    @cached_property
    def updated_singly(self) -> Rows:
        """Kernels of optimisers that update one parameter each, where there are many; else none."""
        rows = self.launched_during(self.union(self.annotations("Optimizer.step#")), self.compute)
        single = self.named(lambda kernel: not updates_many(kernel), rows)
        return single if len(single) >= MANY_UPDATES * self.counted else single[:0]

    @cached_property
    def profiler_cost(self) -> ProfilerCost | None:
        """What the profiler cost the host; None where the trace does not tell."""
        return None if self.replay is None else ProfilerCost.of(self, self.replay)

    @cached_property
    def hosts(self) -> tuple[HostPace, ...]:
        """How fast the host of ``replay`` may be, the slowest first: as it was recorded, and as it may be
        without the profiler, or was measured then."""
        if self.replay is None:
            return ()
        if self.measured is not None and self.profiler_cost is not None:
            return self._unprofiled_hosts
        return (self.replay.recorded, *self._unprofiled_hosts)

    @cached_property
    def _unprofiled_hosts(self) -> tuple[HostPace, ...]:
        if self.replay is None or self.profiler_cost is None:
            return ()
        if self.measured is not None:
            return (self.profiler_cost.measured(self.replay, self.measured),)
        return self.profiler_cost.hosts(self.replay)

    @cached_property
    def base_times(self) -> tuple[int, ...]:
        """How long the replayed steps take with each of the hosts, ns."""
        return () if self.replay is None else tuple(self.replay.time(host) for host in self.hosts)

    @cached_property
    def hosts_gone(self) -> tuple[tuple[HostPace, int], ...]:
        """Each of the hosts if it took no time but for communication, and how long the replayed steps then
        take, ns."""
        if self.replay is None:
            return ()
        gone = [self.replay.without_host(host, self.host_communication) for host in self.hosts]
        return tuple((host, self.replay.time(host)) for host in gone)

    @cached_property
    def unprofiled(self) -> tuple[float, float] | None:
        """How long a step takes without the profiler (ns), from and to; None where nobody tells."""
        if self.replay is None or not self._unprofiled_hosts:
            return None
        times = [time / self.replay.steps for time in self.base_times[-len(self._unprofiled_hosts) :]]
        return min(times), max(times)

    @cached_property
    def path(self) -> Mapping[str, int]:
        """What the critical path of a step consists of (ns), by ``path_times``; empty without ``replay``."""
        return {} if self.replay is None else path_times(self.replay, self)

    # --- places -----------------------------------------------------------------------------------

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
        """The text of what to change; ``finding`` says it in the words of the profile."""
        return said(code)

    def facts(self) -> Mapping[str, object]:
        """Facts of the device."""
        return self.device.facts if self.device is not None else {}
