"""What rules and the replay see of the timeline of a profile: which steps count, and what work devices do."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray

from insight_core.plugin.findings import NotChecked
from insight_profiler.advice.kernel_names import are
from insight_profiler.advice.words import said
from insight_profiler.analysis.called_slices import launchers, work_of
from insight_profiler.analysis.outliers import warm_up
from insight_profiler.analysis.spans import Spans, covered, gaps, length, merged, within
from insight_profiler.analysis.steps import of_rows
from insight_profiler.model import Category, Profile, Table

Rows = NDArray[np.intp]
_LATENCY = 50_000  # ns from a call to its work on an idle device, at most: longer ones are no usual ones
_START_UP = 100_000_000  # ns of a call that does not only launch work


@frozen(eq=False)
class Gaps:
    """Stretches in which no device works (ns). ``since`` when the work that ends each has been launched, with
    the latency that launches have on an idle device: until then the host is late, from then on the device
    waits; the end where nothing ends it, -1 where the launch is not known. ``next`` is that work, and
    ``launch`` the call that launched it (rows of the slices, -1: none or not known)."""

    start: NDArray[np.int64]
    since: NDArray[np.int64]
    end: NDArray[np.int64]
    next: NDArray[np.int64]
    launch: NDArray[np.int64]

    @property
    def waiting(self) -> NDArray[np.int64]:
        """How long the device waits although its next work was launched, ns."""
        return np.where(self.since >= 0, self.end - self.since, 0)


@define(eq=False, slots=False)
class TimelineEvidence:
    """Steps that count (all but warm-up), and the work of devices in them, each computed at most once."""

    profile: Profile

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
        """When the steps that count ran (of the device where it lags); all of the profile without steps."""
        steps = self.steps
        return self._whole if steps is None else self._spans_of(steps["start"], steps["duration"])

    @cached_property
    def host_windows(self) -> Spans:
        """When the host ran the steps that count."""
        steps = self.steps
        if steps is None or (steps["host_start"] < 0).all():
            return self.windows
        return self._spans_of(steps["host_start"], steps["host_duration"])

    def _spans_of(self, begins: NDArray[np.int64], durations: NDArray[np.int64]) -> Spans:
        known = (begins >= 0) & (durations > 0)
        begins = begins[known].astype(np.int64)
        return merged(begins, begins + durations[known]) if known.any() else self._whole

    @property
    def _whole(self) -> Spans:
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
        return np.asarray(self.slices["step"] >= self.step_rows[0])

    @cached_property
    def is_work(self) -> NDArray[np.bool_]:
        """bool[slices]: the work of a device, communication too."""
        self.slices  # noqa: B018 - not checked without a timeline
        return work_of(self.profile)

    @cached_property
    def marks_step(self) -> NDArray[np.bool_]:
        """bool[slices]: the annotations that mark steps."""
        return are(lambda name: name.startswith("ProfilerStep"), self.profile.texts, self.slices["name"])

    @cached_property
    def is_host_communication(self) -> NDArray[np.bool_]:
        """bool[slices]: communication of threads of the host with other ranks, such as gloo's."""
        return np.asarray((self.slices["category"] == Category.COMMUNICATION) & ~self.is_work)

    @cached_property
    def host_communication(self) -> Spans:
        """When threads of the host communicate with other ranks."""
        return self.union(np.flatnonzero(self.is_host_communication))

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
        busy = self.union(self.all_work)
        worked = covered(busy, self.slices["start"][rows].astype(np.int64), self.ends[rows])
        return rows[worked < self.slices["duration"][rows] // 10]

    @cached_property
    def is_mostly_start_up(self) -> bool:
        """Whether more than half of a profile without steps is its start."""
        return bool(len(self.start_up)) and length(self.spans(self.start_up)) > self.whole // 2

    @cached_property
    def launchers(self) -> NDArray[np.int32]:
        """int32[slices]: the row of the call that launched each work of a device, or -1."""
        self.slices  # noqa: B018 - not checked without a timeline
        return launchers(self.profile)

    @cached_property
    def launching(self) -> NDArray[np.int32]:
        """The tracks of the calls that launch ``work``."""
        calls = self.launchers[self.work]
        return np.unique(self.slices["track"][calls[calls >= 0]])

    def launched_during(self, spans: Spans, work: Rows) -> Rows:
        """Those of some work whose launches began during some spans."""
        calls = self.launchers[work]
        begun = np.where(calls >= 0, self.slices["start"][np.maximum(calls, 0)], -1)
        return work[covered(spans, begun, begun + 1) > 0]

    @property
    def is_work_known(self) -> bool:
        """Whether the profile has work of a device with times."""
        if "slices" not in self.profile.tables:
            return False
        return bool(self.is_work.any())

    def of(self, *categories: Category) -> Rows:
        """Rows of the work of devices of some categories, by start."""
        return self.work[np.isin(self.slices["category"][self.work], categories)]

    def union(self, rows: Rows) -> Spans:
        """When at least one of some slices goes on."""
        return merged(self.slices["start"][rows].astype(np.int64), self.ends[rows])

    def spans(self, rows: Rows) -> Spans:
        """The same within the steps that count."""
        return within(self.union(rows), self.windows)

    def host_spans(self, chosen: NDArray[np.bool_]) -> Spans:
        """When some slices of the host go on (bool[slices]), in the steps that count."""
        return self.union(np.flatnonzero(chosen & ~self.is_work & self.inside))

    @cached_property
    def loading(self) -> Spans:
        """When the host loads data, in the steps that count."""
        return self.host_spans(self.slices["category"] == Category.DATA)

    def without(self, rows: Rows, *others: Rows) -> Rows:
        """Some slices without others, by row."""
        is_left = np.zeros(len(self.slices["start"]), bool)
        is_left[rows] = True
        for some in others:
            is_left[some] = False
        return np.flatnonzero(is_left)

    def longest(self, rows: Rows) -> int:
        """The row of the longest of some slices."""
        return int(rows[np.argmax(self.slices["duration"][rows])])

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
    def gaps(self) -> Gaps:
        """The idle stretches of the devices. Raises NotChecked without work of a device."""
        starts, ends = self.idle
        if not len(work := self.all_work):
            raise NotChecked(said("needs_device"))
        place = np.searchsorted(self.slices["start"][work], ends, "left")
        following = np.where(place < len(work), work[np.minimum(place, len(work) - 1)], -1)
        launch = np.where(following >= 0, self.launchers[np.maximum(following, 0)], -1)
        returned = np.where(launch >= 0, self.ends[np.maximum(launch, 0)], starts)
        is_at_rest = (launch >= 0) & (self.slices["start"][np.maximum(launch, 0)] >= starts)
        after = (ends - returned)[is_at_rest]
        latency = min(max(0, int(np.median(after))), _LATENCY) if len(after) else 0
        since = np.clip(np.where(launch >= 0, returned + latency, ends), starts, ends)
        since[(following >= 0) & (launch < 0)] = -1
        return Gaps(starts, since, ends, following, launch)

    @cached_property
    def late(self) -> int:
        """How long devices were idle because the host had not launched the next work, ns, or communicated."""
        return length(self.late_spans)

    @cached_property
    def late_spans(self) -> Spans:
        """When devices were idle because of what the host did before it launched the next work. The time in
        which it communicates with other ranks does not count."""
        found = self.gaps
        known = found.since > found.start
        spans = found.start[known], found.since[known]
        return gaps(within(self.host_communication, spans), spans) if known.any() else spans

    def exposed(self, rows: Rows) -> int:
        """How long some work goes on while no kernel computes, ns."""
        spans = self.spans(rows)
        return length(spans) - int(covered(self.computing, *spans).sum())

    @cached_property
    def computing(self) -> Spans:
        """When a device computes, during the steps that count."""
        return self.spans(self.all_work[self.slices["category"][self.all_work] == Category.KERNEL])

    @cached_property
    def communicating(self) -> Spans:
        """When a device communicates, during the steps that count."""
        return self.spans(self.communication)

    def time(self, rows: Rows) -> int:
        """The sum of the durations, ns."""
        return int(self.slices["duration"][rows].sum())

    def named(self, kind: Callable[[str], bool], rows: NDArray[np.integer]) -> Rows:
        """Those of some slices whose names are of a kind."""
        found = rows[are(kind, self.profile.texts, self.slices["name"][rows])]
        return found.astype(np.intp, copy=False)

    def annotations(self, prefix: str) -> Rows:
        """The annotations of the host whose names begin so, in the steps that count."""
        return self.of_host(lambda name: name.startswith(prefix))

    def of_host(self, kind: Callable[[str], bool]) -> Rows:
        """The slices of the host whose names are of a kind, in the steps that count."""
        texts = self.profile.texts
        # names first: rows of all slices of the host would need much memory
        is_named = are(kind, texts, np.arange(-1, len(texts), dtype=np.int32))[1:]
        found = np.append(is_named, False)[self.slices["name"]]
        found &= self.inside
        found &= ~self.is_work
        return np.flatnonzero(found)

    def operator_of(self, rows: Rows) -> NDArray[np.int32]:
        """int32[rows]: the operator that launched each work of a device, a row of the operators, or -1."""
        kernels = self.profile.tables.get("kernels")
        kernel = self.slices["kernel"][rows]
        if kernels is None:
            return np.full(len(rows), -1, np.int32)
        return np.where(kernel >= 0, kernels["operator"][np.maximum(kernel, 0)], -1).astype(np.int32)

    @cached_property
    def operators(self) -> Table | None:
        """The table of operators; None where it is empty."""
        table = self.profile.tables.get("operators")
        return table if table is not None and len(table["name"]) else None

    @cached_property
    def compute(self) -> Rows:
        """Kernels that compute, communication not among them."""
        return self.of(Category.KERNEL)

    @cached_property
    def communication(self) -> Rows:
        """Communication on devices."""
        return self.of(Category.COMMUNICATION)

    def text(self, place: int) -> str:
        """A text of the profile; "" for -1."""
        return self.profile.texts[place] if place >= 0 else ""
