"""What lines at the end of a log say of why a process ended, and which lines say that it went on."""

from __future__ import annotations

import re
from collections.abc import Sequence

EXCEPTION = "traceback", 2  # the kind and rank of an exception of no other kind
_EXPRESSIONS: Sequence[tuple[str, int, Sequence[str]]] = (
    ("time_limit", 0, ("DUE TO TIME LIMIT", "slurmstepd: .* TIME LIMIT", "job killed: walltime .* exceeded")),
    ("preempted", 0, ("DUE TO (?:PREEMPTION|JOB REQUEUE|NODE FAILURE)",)),
    (
        "device_memory",
        1,
        (
            "(?:CUDA|HIP|XPU|NPU|MPS backend) out of memory",
            r"^(?:\S+\.)?OutOfMemoryError: ",
            "CUBLAS_STATUS_ALLOC_FAILED|CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation",
            "RESOURCE_EXHAUSTED: (?:Out of memory|Failed to allocate)",
            "ResourceExhaustedError.* OOM when allocating",
        ),
    ),
    (
        "host_memory",
        1,
        (
            r"^MemoryError\b|^(?:\S+\.)?_ArrayMemoryError: |std::bad_alloc",
            r"oom[-_ ]kill|Out of memory: Killed process|\bOUT_OF_MEMORY\b",
            "DefaultCPUAllocator: (?:can't allocate|not enough) memory",
            r"OSError: \[Errno 12\]|RuntimeError: .*Cannot allocate memory",
        ),
    ),
    (
        "collective",
        2,
        (
            "Watchdog caught collective operation timeout|NCCL watchdog thread terminated",
            r"Timeout at NCCL work|nccl(?:Remote|System|Internal)Error|Timed out waiting \d+ms for",
        ),
    ),
    (
        "crash",
        2,
        (
            "Segmentation fault|SIGSEGV|SIGABRT|SIGBUS|Fatal Python error: ",
            r"exitcode\s*:\s*-(?:6|7|11)\b",
        ),
    ),
    (
        "killed",
        3,
        (
            r"^(?:\S+: line \d+:\s+\d+ )?Killed\b|^\S+: error: .*: task \d+: Killed",
            r"exitcode\s*:\s*-9\b|Signal 9 \(SIGKILL\)",
            r"died with <Signals\.SIGKILL|killed by signal: Killed",
        ),
    ),
)
# Kind, expression and rank: the smallest rank is the cause where a log has several, then the first line.
SIGNS = [(kind, re.compile("|".join(each)), rank) for kind, rank, each in _EXPRESSIONS]

# Words of programs that go on or end well.
GOES_ON = re.compile(
    "(?i)\\b(?:resum|continu|retry|recover|skipp|restart|finish|complet|succe|passed|saved|saving|best |"
    "done\\b)"
)

# What interpreters, launchers, trackers and schedulers print as they end.
TRAILS = re.compile(
    "|".join(
        (
            "^(?:wandb|swanlab|srun|slurmstepd|Sentry|Exception ignored|terminate called|JOB |make: )",
            r"^(?:\[?[WIE]\d{4}|\[rank\d+\]|\[[WIE]\d* |\[\d+\]:|=+$|-+$|\^+|frame #\d+)",
            "^(?:Aborted|Traceback|RuntimeError|Failures:|Root Cause|warnings?\\b)",
            "resource_tracker|warnings\\.warn|leaked (?:semaphore|shared_memory)|destroy_process_group",
            r"Sending process \d+|<NO_OTHER_FAILURES>|torch\.distributed|[Tt]erminat|core dumped|CANCELLED",
        )
    )
)
