"""Rules about how console logs end: a rule for each cause of a failure, with the line that says it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial

from insight_console.failures import RunFailure, failures
from insight_console.source import OpenLog
from insight_core.plugin import InsightError, PluginContext, ReasonKind
from insight_core.plugin.findings import Examined, Finding, FindingPlace, Needs, Rule

_COUNTED = 256 << 20  # bytes of a log up to which its lines are counted
_SAW = ReasonKind("console_saw", "{file}{line} ends with: {said}{code} (last written {time})")
_KINDS: Sequence[tuple[str, ReasonKind, ReasonKind]] = (
    (
        "device_memory",
        ReasonKind("console_device_memory_title", "Ended: accelerator out of memory"),
        ReasonKind(
            "console_device_memory",
            "use a smaller batch or sequence with gradient accumulation, or activation checkpointing; a "
            "memory snapshot shows what holds the memory",
        ),
    ),
    (
        "host_memory",
        ReasonKind("console_host_memory_title", "Ended: machine out of memory"),
        ReasonKind(
            "console_host_memory",
            "ask for more memory (SLURM: --mem), or use fewer DataLoader workers and hold less data",
        ),
    ),
    (
        "time_limit",
        ReasonKind("console_time_limit_title", "Ended by the time limit of the job"),
        ReasonKind(
            "console_time_limit",
            "ask for more time (SLURM: --time), or save checkpoints and start again from the last one",
        ),
    ),
    (
        "preempted",
        ReasonKind("console_preempted_title", "Job was preempted"),
        ReasonKind(
            "console_preempted",
            "let the scheduler start it again from the last checkpoint (SLURM: --requeue)",
        ),
    ),
    (
        "collective",
        ReasonKind("console_collective_title", "Ended: communication between ranks failed"),
        ReasonKind(
            "console_collective",
            "look in the logs of the other ranks for the one that stopped first; "
            "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 records which collective each rank was in",
        ),
    ),
    (
        "crash",
        ReasonKind("console_crash_title", "Process crashed"),
        ReasonKind(
            "console_crash", "start it with python -X faulthandler, which prints where in Python it crashes"
        ),
    ),
    (
        "killed",
        ReasonKind("console_killed_title", "Process was killed"),
        ReasonKind(
            "console_killed",
            "mostly the system was out of memory: look into dmesg or the accounting of the job (sacct)",
        ),
    ),
    (
        "traceback",
        ReasonKind("console_traceback_title", "Ended with an exception"),
        ReasonKind("console_traceback", "read the traceback from its last line up"),
    ),
)


def _found(kind: str, change: ReasonKind, examined: Examined) -> Iterator[Finding]:
    failure = failures(examined.ctx, [examined.run]).get(examined.run)
    if failure is None or failure.ending.kind != kind:
        return
    ending, file = failure.ending, failure.file
    number = _line_number(examined.ctx, failure)
    saw = _SAW(
        file=file.tag,
        line="" if number is None else f":{number + 1}",
        said=ending.said,
        code=f" [{ending.file}:{ending.line}]" if ending.file else "",
        time=datetime.fromtimestamp(file.changed).strftime("%Y-%m-%d %H:%M:%S"),
    )
    state = {"run": examined.run, "file": file.tag, "at": str(ending.offset)}
    yield Finding(examined.run, "error", saw, change(), FindingPlace("console", state=state))


def _line_number(ctx: PluginContext, failure: RunFailure) -> int | None:
    """The line that says it, counted from 0; None in a log that takes long to count."""
    if failure.file.size > _COUNTED:
        return None
    try:
        with OpenLog(ctx, failure.file.key) as log:
            return sum(piece.count(b"\n") for _, piece in log.pieces(0, failure.ending.offset))
    except (InsightError, OSError):
        return None


RULES = [
    Rule(f"console_{kind}", title, partial(_found, kind, change), Needs(plugins=["console"]))
    for kind, title, change in _KINDS
]
