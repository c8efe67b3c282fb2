"""The data model of a profile, independent of its format: small facts as values, long data as columns.

Every table is optional: a reader fills what its files say, a view shows what is there. Times are int64
nanoseconds: points from the beginning of the profile, durations as such; -1 says that it is not known.
Texts stand once, columns hold their places (-1: none).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason


class Source(enum.StrEnum):
    """What wrote the files of a profile."""

    TORCH = "torch"  # torch.profiler's Chrome trace
    CHROME = "chrome"  # any other Chrome trace
    XPLANE = "xplane"  # TensorFlow and JAX
    MINDSPORE = "mindspore"  # MindSpore 2.x, *_ascend_ms, on CPU too
    ASCEND = "ascend"  # torch_npu, *_ascend_pt, which has the same layout
    MINDINSIGHT = "mindinsight"  # what MindSpore wrote for MindInsight, profiler*/
    NSIGHT = "nsight"  # Nsight Systems, exported as SQLite
    PERFETTO = "perfetto"  # traces of Perfetto
    ROCPD = "rocpd"  # ROCm's rocprofv3 and rocprof-sys, *_results.db
    SNAPSHOT = "snapshot"  # torch's memory snapshot, a pickle
    FLIGHT = "flight"  # torch's flight recorder, a file for each rank of a job
    RANK_STEPS = "rank_steps"  # how long each rank of a job took for each step, TorchTitan's structured logs
    FOLDED = "folded"  # collapsed stacks: a line for each, with a number
    SPEEDSCOPE = "speedscope"  # of py-spy and others
    PPROF = "pprof"  # of Go, of JAX (memory of devices), and others
    CLUSTER = "cluster"  # what msprof-analyze found about the ranks of a job, cluster_analysis_output


class Category(enum.IntEnum):
    """What a slice of time was spent on; where some overlap, the smaller number has the moment."""

    KERNEL = 0
    MEMCPY = 1
    MEMSET = 2
    COMMUNICATION = 3
    RUNTIME = 4  # calls that launch work on a device
    DATA = 5  # data preparation
    OPERATOR = 6  # on the host
    OTHER = 7


class Side(enum.IntEnum):
    """Where an operator runs."""

    HOST = 0
    DEVICE = 1


class FlowKind(enum.IntEnum):
    """Meaning of an arrow between two slices."""

    LAUNCH = 0  # from the host to a device
    BACKWARD = 1  # from forward to its backward
    OTHER = 2


class StepOrigin(enum.StrEnum):
    """How the steps of a profile are known."""

    RECORDED = "recorded"  # the log marks them
    INFERRED = "inferred"  # operators that ran equally often mark them
    NONE = ""


@frozen
class Track:
    """One row of the timeline. ``parent`` is the place of the process or device it belongs to, or -1."""

    kind: str  # process, thread, stream, scope, communication
    label: str
    parent: int = -1
    device: int = -1  # place in Profile.devices
    order: int = 0


@frozen
class Counter:
    """What a counter counts; its points are in the table ``counters``."""

    label: str
    group: str  # memory, cpu, queue, other
    unit: str = ""  # bytes, percent, or nothing
    device: int = -1


@frozen
class Device:
    """A processor of the profiled process."""

    name: str
    kind: str  # cpu, gpu, npu, tpu
    facts: Mapping[str, Any] = field(factory=dict)


@frozen
class Note:
    """Something the reader of a profile must know: a code with values, for which the page has a sentence."""

    code: str
    values: Mapping[str, Any] = field(factory=dict)
    text: str = ""  # the same in English

    @property
    def reason(self) -> Reason:
        """Why a profile cannot be read."""
        return Reason(self.text, f"profiler_failure_{self.code}", **self.values)


Column: TypeAlias = NDArray[Any]
Table: TypeAlias = Mapping[str, Column]

_STEPS = {
    "number": "i8",  # as the log counts
    "start": "i8",  # -1 where only durations are known
    "duration": "i8",
    # of the host, where the device lags and start and duration are its own
    "host_start": "i8",
    "host_duration": "i8",
    # time of the step by what it was spent on, each moment counted once (Category)
    "kernel": "i8",
    "memcpy": "i8",
    "memset": "i8",
    "communication": "i8",
    "runtime": "i8",
    "data": "i8",
    "operator": "i8",
    "other": "i8",
    "idle": "i8",
    # as MindSpore divides the step of a device
    "iteration_interval": "i8",
    "forward_backward": "i8",
    "tail": "i8",
    "forward_start": "i8",  # from the start of the step
    "backward_end": "i8",
    # as Ascend's step_trace_time.csv and the cluster files divide it
    "computing": "i8",
    "communication_not_overlapped": "i8",
    "overlapped": "i8",
    "free": "i8",
    "bubble": "i8",
    "receive": "i8",
    "collective": "i8",  # communication that is not overlapped, without receiving
    "stage": "i8",  # all but receiving from another stage
    "preparing": "i8",
}
# columns of each table; OPTIONAL ones may be left out
TABLES: Mapping[str, Mapping[str, np.dtype[Any]]] = {
    name: {column: np.dtype(kind) for column, kind in columns.items()}
    for name, columns in {
        # one stretch of time on a track, sorted by track, start, and the longer first
        "slices": {
            "track": "i4",
            "start": "i8",
            "duration": "i8",
            "name": "i4",
            "category": "u1",  # Category
            "depth": "u2",  # how many slices of its track it lies in
            "parent": "i4",  # row of the slice it lies in, or -1
            "self": "i8",  # duration without the slices that lie in it
            "step": "i4",  # row in steps, or -1
            "operator": "i4",  # row in operators of the one it is a run of (not of what launched it), or -1
            "kernel": "i4",  # row in kernels of the one it is a run of, or -1
            "offset": "i8",  # of its event in the (unpacked) trace, -1: no arguments
            "size": "i4",  # bytes of that event
        },
        "flows": {"source": "i4", "target": "i4", "kind": "u1"},  # rows in slices; FlowKind
        "counters": {"counter": "i4", "time": "i8", "value": "f8"},  # place in Profile.counters
        "steps": _STEPS,
        # the same of each rank of a job, where one profile is about all of them
        "rank_steps": {"rank": "i4", **_STEPS},
        # work in parallel to the step: all-reduce lanes of a step trace; starts are relative to the step
        "lanes": {"step": "i4", "name": "i4", "start": "i8", "duration": "i8"},
        # one operator as finely as the source tells them apart
        "operators": {
            "name": "i4",
            "type": "i4",
            "scope": "i4",  # with slashes, without the name
            "shapes": "i4",
            "information": "i4",  # JSON
            "side": "u1",
            "device": "i4",
            "core": "i4",  # AI_CORE, AI_CPU ...
            "calls": "i8",
            "total": "i8",
            "self": "i8",
            "minimum": "i8",
            "maximum": "i8",
            "device_total": "i8",  # of the kernels it launched, those of operators within too
            "device_self": "i8",
            "flops": "f8",  # of all calls; NaN when not known
            "repeated": "f8",  # of these: those that the forward pass had done before
            "traffic": "f8",  # bytes that all calls move at least; NaN when not known
            "precision": "i4",  # InputType of the inputs of products, or -1
            "bytes": "f8",  # memory it took
        },
        "kernels": {
            "name": "i4",
            "operator": "i4",  # row in operators of the one that launched it, or -1
            "device": "i4",
            "stream": "i4",  # text
            "grid": "i4",  # text, "8 x 1 x 1"
            "block": "i4",  # text
            "core": "i4",  # text
            "registers": "i4",  # per thread
            "shared_memory": "i8",  # bytes
            "occupancy": "f4",  # percent, NaN when not known
            "calls": "i8",
            "total": "i8",
            "minimum": "i8",
            "maximum": "i8",
        },
        # memory that was taken, by whom, from when until when
        "allocations": {
            "name": "i4",  # of the operator that was called by none other
            "module": "i4",  # text: the modules around, with slashes
            "shapes": "i4",  # text: of the inputs of that operator
            "purpose": "i4",  # text: data, activation, gradient, optimiser, parameter
            "device": "i4",
            "bytes": "i8",
            "start": "i8",
            "end": "i8",  # -1: not freed in the profile
            "stack": "i4",  # row in stacks
            "address": "i8",
        },
        # memory that the allocator took from the device; those at one time do not overlap
        "segments": {
            "device": "i4",
            "address": "i8",
            "bytes": "i8",
            "start": "i8",
            "end": "i8",  # -1: not given back in the profile
        },
        # of memory: what torch marks (Optimizer.step)
        "annotations": {"name": "i4", "device": "i4", "start": "i8", "duration": "i8"},
        # collectives of all ranks of a job, as a flight recorder kept them
        "flights": {
            "rank": "i4",
            "group": "i4",  # text: the process group
            "sequence": "i8",  # number within the group
            "name": "i4",
            "state": "i4",  # text: scheduled, started, completed
            "created": "i8",  # ns since the epoch, by the clock of the rank
            "sizes": "i4",  # text: of inputs and outputs
            "types": "i4",
            "stack": "i4",  # row in stacks
        },
        # how long each rank of a job was in a span of a step, of each start (attempt): a row for each run of
        # consecutive steps; by rank and attempt, and in these by span and step
        "step_runs": {
            "rank": "i4",
            "attempt": "i4",
            "span": "i4",  # text
            "first": "i8",  # step
            "end": "i8",  # its last row (exclusive) in step_durations
            "total": "f8",  # ns of all its steps
        },
        "step_durations": {"duration": "f4"},  # ns, the sum of those in one step; exact to 6e-8 of it
        "step_starts": {"start": "i8"},  # ns since the epoch, of the lowest rank: the first rows of these
        # files that steps were read of, so that what is appended to them can be read alone
        "step_files": {
            "name": "i4",
            "rank": "i4",
            "attempt": "i4",
            "read": "i8",  # bytes, up to the end of a line; 0 for packed files
            "check": "i8",  # digest of the last of them
            "odd": "i8",  # malformed lines
        },
        # what is drawn of a long profile at once (analysis.lanes): lanes, the order of slices on them, and
        # scales of slices that are merged on them, one after another
        "drawn_lanes": {"track": "i4", "depth": "u2", "first": "i8"},  # place in drawn_order
        "drawn_order": {"row": "i4"},  # in slices
        "drawn_scales": {"number": "i4", "rows": "i8"},  # of drawn_slices
        "drawn_slices": {
            "lane": "i4",  # row in drawn_lanes
            "start": "i8",
            "end": "i8",
            "longest": "i4",  # row in slices of the longest that it stands for
            "count": "i4",
        },
        # stacks of calls: where each ends in stack_frames, whose innermost frame comes first
        "stacks": {"end": "i8"},
        "stack_frames": {"frame": "i4"},  # row in frames
        "frames": {"name": "i4", "file": "i4", "line": "i4"},
        # calls where only their sums are known: equal paths are one row, callers come first
        "call_paths": {"parent": "i4", "name": "i4"},  # row in call_paths, or -1
        # what was spent in them, without what they called
        "samples": {
            "path": "i4",  # row in call_paths
            "measure": "i4",  # place in the document `samples`
            "value": "i8",
            "count": "i8",  # of samples or calls; 0: not known
        },
        # of the data pipeline: how long the training waited for each batch, how full the queue was
        "batches": {
            "number": "i8",
            "get": "i8",
            "push": "i8",
            "total": "i8",
            "time": "i8",
            "queue_size": "i4",
            "queue_capacity": "i4",
            "queue": "i4",  # text: which queue (device_queue, get_next, dataset_iterator)
        },
        "collectives": {
            "step": "i8",  # number as the log counts
            "name": "i4",
            "kind": "i4",  # text: collective, p2p
            "start": "i8",
            "elapsed": "i8",
            "wait": "i8",
            "transit": "i8",
            "bytes": "f8",
            "rank": "i4",  # where one profile is about all ranks of a job
        },
        "links": {
            "step": "i8",
            "source": "i4",  # rank
            "target": "i4",
            "kind": "i4",  # text: HCCS, PCIE, RDMA, SDMA
            "elapsed": "i8",
            "bytes": "f8",
            "bandwidth": "f8",  # bytes a second
            "group": "i4",  # text: the group in which ranks are numbered so; -1: of the whole job
        },
        # operators whose shapes change from step to step
        "shape_runs": {
            "step": "i8",
            "kind": "i4",  # text: operator, kernel
            "type": "i4",
            "name": "i4",
            "side": "u1",
            "duration": "i8",
            "shapes": "i4",
        },
    }.items()
}


@frozen(eq=False)
class Profile:
    """What was read of one profile. ``documents`` holds what is small and a tree: ``pipeline``,
    ``strategy``, ``flops`` (schemas: docs/reference/formats.md), ``pools`` (``analysis.pool.pools``) and
    ``failures`` (``device``, and bytes ``wanted`` and ``free``) of an allocator, ``copies`` (by name of
    copies their ``count``, ``bytes`` and ``time``, ns), ``samples`` (``measures``, each with ``name`` and
    ``unit``: ns, bytes, count or another; ``first``: the place of the one that is shown first; ``counted``:
    samples or calls), ``overview`` (``analysis.overview.first_overview``, of a profile that was kept)."""

    source: Source
    start_ns: int = 0  # since the epoch; 0 when only relative times are known
    duration_ns: int = 0
    host: str = ""
    worker: str = ""
    rank: int = -1
    world_size: int = 0
    platform: str = ""  # cpu, gpu, npu, tpu
    step_origin: StepOrigin = StepOrigin.NONE
    is_complete: bool = True  # False: a look at what has been read so far
    devices: tuple[Device, ...] = ()
    tracks: tuple[Track, ...] = ()
    counters: tuple[Counter, ...] = ()
    notes: tuple[Note, ...] = ()
    facts: Mapping[str, Any] = field(factory=dict)  # versions, parallel mode, stage ...
    documents: Mapping[str, Any] = field(factory=dict)
    texts: tuple[str, ...] = ()
    tables: Mapping[str, Table] = field(factory=dict)
