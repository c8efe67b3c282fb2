"""Classifies trace events by ``cat`` and ``name``."""

from __future__ import annotations

import re

from attrs import frozen

from insight_profiler.analysis.kernel_schemes import is_collective
from insight_profiler.model import Category, FlowKind

GPU = "gpu"


@frozen
class EventKind:
    """What all slices of one name on one process are. ``type``: that of the operator that such a slice is
    a call of; "" for a slice that is none."""

    category: Category
    type: str = ""
    is_marker: bool = False  # marks a range, not work
    step: int = -1  # the number of the step that it marks
    device: str = GPU  # the kind of device that does it, if it is work of one


_STEP = re.compile(r"ProfilerStep#(\d+)$")
_CATEGORIES = {
    "kernel": Category.KERNEL,
    "gpu_memcpy": Category.MEMCPY,
    "memcpy": Category.MEMCPY,
    "gpu_memset": Category.MEMSET,
    "memset": Category.MEMSET,
    "runtime": Category.RUNTIME,
    "cpu_op": Category.OPERATOR,
    "operator": Category.OPERATOR,  # before torch 1.11
    "user_annotation": Category.OTHER,
    "python_function": Category.OTHER,
    "gpu_user_annotation": Category.OTHER,
    "overhead": Category.OTHER,
    "cuda_sync": Category.OTHER,  # a stream waits
    "cuda_profiler_range": Category.OTHER,
    "cuda_event": Category.OTHER,
    "collective_comm": Category.COMMUNICATION,
    "mtia_insight": Category.OTHER,
    "mtia_counters": Category.OTHER,
    "gpu_pm_counter": Category.OTHER,
    "trace": Category.OTHER,
}
# lines of a device of XLA that mark ranges of its work
ANNOTATION_LINES = frozenset(
    (
        "Steps",
        "XLA Modules",
        "TensorFlow Name Scope",
        "TensorFlow Ops",
        "Framework Name Scope",
        "Framework Ops",
        "Source code",
    )
)
# devices that categories and processes are named after; those of CUDA, ROCm and XPU are GPUs
_DEVICE = re.compile(
    r"(?:/device:)?(?P<kind>hpu|ipu|mlu|mtia|npu|tpu|cuda|gpu|hip|musa|xpu|privateuse\d+)"
    r"(?:_|\s*:?\s*(?P<number>\d{0,3})(?: \(.*)?$)",
    re.IGNORECASE,
)
_OTHER_DEVICES = {"hpu", "ipu", "mlu", "mtia", "npu", "tpu"}
_ANNOTATIONS = {"user_annotation", "operator", "cpu_op"}
_COLLECTIVE = re.compile(r"(nccl|gloo|mpi|c10d|hccl)(:|Kernel|DevKernel|_)|record_param_comms", re.IGNORECASE)


def device_of(name: str) -> tuple[str, int]:
    """The kind and the number of the device that a category or process is named after; empty for other names,
    and -1 where it says no number."""
    found = _DEVICE.match(name)
    if found is None:
        return "", -1
    kind = found["kind"].lower()
    return kind if kind in _OTHER_DEVICES else GPU, int(found["number"] or -1)


def torch_kind(category: str, name: str, device: str = "") -> EventKind | None:
    """As torch.profiler names them; whatever else a Chrome trace holds are operators of the type ``cat``, or
    the work of the ``device`` on whose track they are. None: the event says nothing."""
    if name == "Record Window End":  # far behind everything else
        return None
    known = category.lower()
    kind = _CATEGORIES.get(known)
    if kind is None:
        device = device_of(known)[0] or device
        if known.endswith(("_runtime", "_driver")):
            kind = Category.RUNTIME
        elif device:
            return EventKind(_work(known, name), device=device)
        else:
            return EventKind(Category.OPERATOR, category or "event")
    if known == "trace":
        return EventKind(kind, is_marker=True)
    if known in _ANNOTATIONS:
        if step := _STEP.match(name):
            return EventKind(Category.OTHER, is_marker=True, step=int(step[1]))
        if name.startswith("enumerate(DataLoader)"):
            kind = Category.DATA
        elif _COLLECTIVE.match(name):
            kind = Category.COMMUNICATION
        return EventKind(kind, name.partition("#")[0] or name or known)
    return EventKind(_kernel(name) if kind is Category.KERNEL else kind)


def _work(category: str, name: str) -> Category:
    """What an event of a device is whose category is not known."""
    if "annotation" in category or "sync" in category or "counter" in category:
        return Category.OTHER
    for part, kind in (("memcpy", Category.MEMCPY), ("memset", Category.MEMSET)):
        if part in category or name.lower().startswith(part):
            return kind
    return _kernel(name)


def _kernel(name: str) -> Category:
    """What a kernel of this name does."""
    return Category.COMMUNICATION if _COLLECTIVE.match(name) or is_collective(name) else Category.KERNEL


def is_torch(category: str) -> bool:
    """Whether only torch calls events so."""
    return category in ("cpu_op", "Operator", "user_annotation", "python_function", "cpu_instant_event")


_LAUNCHES = {"ac2g", "async", "hosttodevice", "async_npu", "async_mindspore", "async_gpu"}


def flow_kind(category: str, name: str) -> FlowKind:
    """The kind of an arrow, from its category and name in the trace."""
    known = category.lower()
    if known in _LAUNCHES:
        return FlowKind.LAUNCH
    if "bwd" in known or "backward" in known or (name == "fwdbwd"):
        return FlowKind.BACKWARD
    return FlowKind.OTHER
