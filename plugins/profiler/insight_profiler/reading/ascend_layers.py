"""Classifies the layers of an NPU's timeline by the names of processes, threads and tasks."""

from __future__ import annotations

from insight_profiler.model import Category

DEVICE_LAYERS = ("Ascend Hardware", "HCCL", "Communication", "Overlap Analysis")
_RUNTIME = ("AscendCL@", "Node@launch", "Runtime@", "aclnn")


def track_kind(layer: str, label: str) -> str:
    """The kind of a track, from the names of its layer and itself."""
    if layer.startswith("Ascend Hardware"):
        return "scope" if label.startswith("Step Trace") else "stream"
    if layer.startswith(("HCCL", "Communication")):
        return "communication"
    return "scope" if layer.startswith(("Scope Layer", "Overlap Analysis", "Step Trace")) else "thread"


def task_category(task: str) -> Category:
    """What a device does, by the type of its task."""
    lower = task.lower()
    if lower.startswith(("notify", "event", "profiling", "model_", "stream", "flip", "label")):
        return Category.OTHER
    if lower.startswith("memcpy") or "sdma" in lower:
        return Category.MEMCPY
    if lower.startswith(("reduce", "hccl", "communication", "rdma")):
        return Category.COMMUNICATION
    return Category.MEMSET if lower.startswith("memset") else Category.KERNEL


def slice_category(where: tuple[str, str], task: tuple[str, str], name: str) -> Category:
    """Of a slice: its layer and thread, category and task of its event, name."""
    layer, label = where
    kind, work = task
    if layer.startswith("Ascend Hardware"):
        return Category.OTHER if label.startswith("Step Trace") else task_category(work)
    if layer.startswith(("HCCL", "Communication")):
        return Category.COMMUNICATION
    if layer.startswith("CPU OP") or kind == "cpu_op":
        return Category.OPERATOR
    if layer.startswith("CANN") and name.startswith(_RUNTIME):
        return Category.RUNTIME
    return Category.OTHER
